import { optionsCheck, strict, text, whole } from "../../../src/ground/options/index.js";
import { type Begun, type IdempotencyStore, LateBegin } from "../../../src/ground/storage/idempotency.js";
import { type RedisClient, scriptClient } from "./client.js";
import { abandonScript, beginScript, completeScript, countScript, nowScript, renewScript, unbeginScript } from "./idempotencyScripts.js";
import { RedisPresence } from "./presence.js";
import { defaultTimeoutMs, probeScript, type Script, scriptRunner } from "./script.js";

/** Options of {@link redisIdempotency}. */
export interface RedisIdempotencyOptions {
  /** Prefix of every key. Defaults to `restwright:idempotency:`. With a hash tag (`{shop}:`) all keys are in one slot of a cluster. */
  readonly prefix?: string | undefined;
  /** How long to wait for a reply, in milliseconds. Defaults to 1,500. */
  readonly timeoutMs?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("redisIdempotency", () => strict<RedisIdempotencyOptions>({ prefix: text(), timeoutMs: whole(1) }));

/**
 * Idempotency records in Redis 6 and later, over a client of `ioredis` or `redis` that the caller owns.
 *
 * Each record is one hash that expires by itself. Each script uses only one key, so the store works on any cluster. While a process holds operations, it renews
 * a key of its own; five seconds after a process died, others can take over its operations.
 *
 * @example
 * const store = redisIdempotency(new Redis("redis://localhost"));
 */
export function redisIdempotency(client: RedisClient, options: RedisIdempotencyOptions = {}): IdempotencyStore {
  check(options);
  const { prefix = "restwright:idempotency:", timeoutMs = defaultTimeoutMs } = options;
  const runScript = scriptRunner(scriptClient(client), timeoutMs);
  const run = (script: Script, id: string, ...values: (string | number)[]) => runScript(script, [`${prefix}${id}`], values);
  const presence = new RedisPresence(run);
  const affects = async (...write: Parameters<typeof run>) => Number(await run(...write)) === 1;
  return {
    async begin(id, { operationId, fingerprint, leaseMs, ttlMs, owner = "", deadlineMs }) {
      await presence.announce();
      const times = [leaseMs, Math.max(leaseMs, ttlMs)].map(Math.ceil);
      const deadline = deadlineMs === undefined ? "" : Math.floor(deadlineMs);
      const begin = (dead: string) => run(beginScript, id, operationId, fingerprint, ...times, owner, deadline, presence.holder, dead);
      const reply = await begin("");
      const other = holderOf(reply);
      const isLeft = other !== "" && !(await presence.isAlive(other));
      const begun = toBegun(isLeft ? await begin(other) : reply);
      if (begun.kind === "acquired") presence.hold(id, leaseMs);
      return begun;
    },
    async complete(id, operationId, attempt, response) {
      presence.release(id);
      const reply = await run(completeScript, id, operationId, attempt, toBase64(response));
      if (!Array.isArray(reply)) return false;
      const [owner, lifeMs] = reply.map(String);
      // The response is stored even if counting its bytes fails.
      if (owner) await run(countScript, `owner:${owner}`, response.length, Math.max(1, Number(lifeMs))).catch(() => undefined);
      return true;
    },
    now: async () => Number(await run(nowScript, "now")),
    beginTimeoutMs: timeoutMs,
    storedBytes: async (owner) => Number(await run(countScript, `owner:${owner}`)),
    abandon(id, operationId, attempt) {
      presence.release(id);
      return affects(abandonScript, id, operationId, attempt);
    },
    unbegin: (id, operationId) => affects(unbeginScript, id, operationId),
    async renew(id, operationId, attempt, leaseMs) {
      const isHeld = await affects(renewScript, id, operationId, attempt, Math.ceil(leaseMs));
      if (isHeld && leaseMs > 0) presence.hold(id, leaseMs);
      else presence.release(id);
      return isHeld;
    },
    ping: async () => void (await run(probeScript, "probe")),
  };
}

/** The holder of an operation in flight; empty for records of older versions. */
function holderOf(reply: unknown): string {
  const [kind, , , holder = ""] = (reply as readonly unknown[]).map(String);
  return kind === "inFlight" ? holder : "";
}

/** Clients can be configured to return buffers for text and text for numbers. */
function toBegun(reply: unknown): Begun {
  const [kind, first, second] = (reply as readonly unknown[]).map(String);
  if (kind === "late") throw new LateBegin();
  if (kind === "acquired") return { kind, operationId: String(first), attempt: Number(second) };
  if (kind === "done") return { kind, fingerprint: String(first), response: Buffer.from(String(second), "base64") };
  return { kind: "inFlight", fingerprint: String(first), retryAfterMs: Math.max(1, Number(second)) };
}

/** Both clients send and read text in the same way, unlike bytes. */
function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
