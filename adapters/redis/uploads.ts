import type { AccountLimits, AccountUse, UploadOutcome, UploadRecord, UploadStore } from "../../src/storage/uploads.js";
import { type RedisClient, scriptClient } from "./client.js";
import { withinDeadline } from "./deadline.js";
import { translateError } from "./errors.js";
import { runScript, type Script } from "./script.js";
import { createScript, dueScript, getScript, removeScript, updateScript, useScript } from "./uploadScripts.js";

/** How {@link redisUploads} is made. */
export interface RedisUploadsOptions {
  /** Stands before the keys; `{restwright:uploads}:` unless given. In a cluster it needs a hash tag (`{shop}:`), which keeps the keys in one slot. */
  readonly prefix?: string | undefined;
  /** How long to wait for an answer, in milliseconds; 5,000 unless given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Records of uploads in Redis 6 and later, over a client of `ioredis` or `redis` that the caller owns.
 *
 * There are three keys, for the records, the sums of accounts and what is due; each method is one script on them.
 *
 * @throws {TypeError} for what is no client
 * @example
 * const store = redisUploads(new Redis("redis://localhost"));
 * createService({ resources, storage, blobs, uploads: { types: ["image/png"], store } });
 */
export function redisUploads(client: RedisClient, options: RedisUploadsOptions = {}): UploadStore {
  const { prefix = "{restwright:uploads}:", timeoutMs = 5_000 } = options;
  const scripts = scriptClient(client);
  const keys = ["records", "accounts", "due"].map((name) => `${prefix}${name}`);
  const run = async (script: Script, ...values: (string | number)[]): Promise<unknown> => {
    try {
      return await withinDeadline(runScript(scripts, script, keys, values.map(String)), timeoutMs);
    } catch (error) {
      throw translateError(error);
    }
  };
  return {
    async create({ id, tenant = "", owner, account, isOpen, bytes, dueAt, data }, limits) {
      const members = [Number(isOpen), bytes, fromDate(dueAt), fromData(data)];
      return toOutcome(await run(createScript, id, tenant, owner, account, ...members, ...fromLimits(limits)));
    },
    async get(id) {
      const outcome = toOutcome(await run(getScript, id));
      return outcome.outcome === "stored" ? outcome.record : undefined;
    },
    async update(id, version, changes, limits) {
      const { isOpen, bytes } = changes;
      const sums = [isOpen === undefined ? stays : Number(isOpen), bytes ?? stays];
      const rest = ["dueAt" in changes ? fromDate(changes.dueAt) : stays, "data" in changes ? fromData(changes.data) : stays];
      return toOutcome(await run(updateScript, id, version, ...sums, ...rest, ...fromLimits(limits)));
    },
    remove: async (id, version) => Number(await run(removeScript, id, version)) === 1,
    due: async (now, limit) => ((await run(dueScript, now.getTime(), limit)) as readonly unknown[]).map(toRecord),
    use: async (tenant = "", account) => toUse(texts(await run(useScript, tenant, account))),
  };
}

/** No value of a member is written like this. */
const stays = "=";

function fromDate(date: Date | undefined): string {
  return date === undefined ? "" : String(date.getTime());
}

function fromData(data: unknown): string {
  return data === undefined ? "" : JSON.stringify(data);
}

function fromLimits({ mostOpen, mostBytes }: AccountLimits = {}): readonly string[] {
  return [mostOpen, mostBytes].map((most) => (most === undefined || most === Number.POSITIVE_INFINITY ? "" : String(most)));
}

function toOutcome(reply: unknown): UploadOutcome {
  const [outcome, ...rest] = texts(reply);
  if (outcome === "stored") return { outcome, record: toRecord(reply) };
  if (outcome === "too-many-open" || outcome === "over-quota") return { outcome, use: toUse(rest) };
  return { outcome: "conflict" };
}

function toRecord(reply: unknown): UploadRecord {
  const [, id = "", version, tenant, owner = "", account = "", isOpen, bytes, due, data] = texts(reply);
  return {
    ...{ id, version: Number(version), tenant: tenant === "" ? undefined : tenant, owner, account, isOpen: isOpen === "1", bytes: Number(bytes) },
    dueAt: due === "" ? undefined : new Date(Number(due)),
    data: data === undefined || data === "" ? undefined : JSON.parse(data),
  };
}

function toUse([open, bytes]: readonly string[]): AccountUse {
  return { open: Number(open), bytes: Number(bytes) };
}

/** Clients may be told to give buffers for text. */
function texts(reply: unknown): readonly string[] {
  return (reply as readonly unknown[]).map(String);
}
