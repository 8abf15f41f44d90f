import type { Begun, IdempotencyStore } from "../../src/storage/idempotency.js";
import { type RedisClient, scriptClient } from "./client.js";
import { withinDeadline } from "./deadline.js";
import { translateError } from "./errors.js";
import { abandonScript, beginScript, completeScript, renewScript } from "./idempotencyScripts.js";
import { runScript, type Script } from "./script.js";

/** How {@link redisIdempotency} is made. */
export interface RedisIdempotencyOptions {
  /** Stands before every key; `restwright:idempotency:` unless given. A hash tag in it (`{shop}:`) keeps all keys in one slot of a cluster. */
  readonly prefix?: string | undefined;
  /** How long to wait for an answer, in milliseconds; 5,000 unless given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Records of operations in Redis 6 and later, over a client of `ioredis` or `redis` that the caller owns.
 *
 * Each record is one hash that expires by itself, and each method one script on its one key, so any cluster will do.
 *
 * @example
 * const store = redisIdempotency(new Redis("redis://localhost"));
 */
export function redisIdempotency(client: RedisClient, options: RedisIdempotencyOptions = {}): IdempotencyStore {
  const { prefix = "restwright:idempotency:", timeoutMs = 5_000 } = options;
  const scripts = scriptClient(client);
  const run = async (script: Script, id: string, ...values: (string | number)[]): Promise<unknown> => {
    try {
      return await withinDeadline(runScript(scripts, script, [`${prefix}${id}`], values.map(String)), timeoutMs);
    } catch (error) {
      throw translateError(error);
    }
  };
  const affects = async (...write: Parameters<typeof run>) => Number(await run(...write)) === 1;
  return {
    begin: async (id, { operationId, fingerprint, leaseMs, ttlMs }) =>
      toBegun(await run(beginScript, id, operationId, fingerprint, Math.ceil(leaseMs), Math.ceil(Math.max(leaseMs, ttlMs)))),
    complete: (id, operationId, attempt, response) => affects(completeScript, id, operationId, attempt, toBase64(response)),
    abandon: (id, operationId, attempt) => affects(abandonScript, id, operationId, attempt),
    renew: (id, operationId, attempt, leaseMs) => affects(renewScript, id, operationId, attempt, Math.ceil(leaseMs)),
  };
}

/** Clients may be told to give buffers for text, and text for numbers. */
function toBegun(reply: unknown): Begun {
  const [kind, first, second] = (reply as readonly unknown[]).map(String);
  if (kind === "acquired") return { kind, operationId: String(first), attempt: Number(second) };
  if (kind === "done") return { kind, fingerprint: String(first), response: Buffer.from(String(second), "base64") };
  return { kind: "inFlight", fingerprint: String(first), retryAfterMs: Math.max(1, Number(second)) };
}

/** Text is what both clients send and read alike. */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
