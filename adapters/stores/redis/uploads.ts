import { optionsCheck, strict, text, whole } from "../../../src/ground/options/index.js";
import type { AccountLimits, AccountUse, UploadOutcome, UploadRecord, UploadStore } from "../../../src/ground/storage/files/uploads.js";
import { type RedisClient, scriptClient } from "./client.js";
import { defaultTimeoutMs, probeScript, type Script, scriptRunner } from "./script.js";
import { createScript, dueOfScript, dueScript, getScript, removeScript, updateScript, useScript } from "./uploadScripts.js";

/** Options of {@link redisUploads}. */
export interface RedisUploadsOptions {
  /** Prefix of the keys. Defaults to `{restwright:uploads}:`. A cluster needs a hash tag in it (`{shop}:`), so that all keys are in one slot. */
  readonly prefix?: string | undefined;
  /** How long to wait for a reply, in milliseconds. Defaults to 1,500. */
  readonly timeoutMs?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("redisUploads", () => strict<RedisUploadsOptions>({ prefix: text(), timeoutMs: whole(1) }));

/**
 * Upload records in Redis 6 and later, over a client of `ioredis` or `redis` that the caller owns.
 *
 * It has three keys: the records, the sums of accounts, and ids by due time. Each method is one script on them.
 *
 * @throws {TypeError} if the client is invalid
 * @example
 * const store = redisUploads(new Redis("redis://localhost"));
 * createService({ resources, storage, blobs, uploads: { types: ["image/png"], store } });
 */
export function redisUploads(client: RedisClient, options: RedisUploadsOptions = {}): UploadStore {
  check(options);
  const { prefix = "{restwright:uploads}:", timeoutMs = defaultTimeoutMs } = options;
  const runScript = scriptRunner(scriptClient(client), timeoutMs);
  const keys = ["records", "accounts", "due"].map((name) => `${prefix}${name}`);
  const run = (script: Script, ...values: (string | number)[]) => runScript(script, keys, values);
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
      const sums = [isOpen === undefined ? unchanged : Number(isOpen), bytes ?? unchanged];
      const rest = ["dueAt" in changes ? fromDate(changes.dueAt) : unchanged, "data" in changes ? fromData(changes.data) : unchanged];
      return toOutcome(await run(updateScript, id, version, ...sums, ...rest, ...fromLimits(limits)));
    },
    remove: async (id, version) => Number(await run(removeScript, id, version)) === 1,
    async due(now, limit, of) {
      const values = [now.getTime(), limit] as const;
      const due = of === undefined ? run(dueScript, ...values) : run(dueOfScript, ...values, of.tenant ?? "", of.account);
      return ((await due) as readonly unknown[]).map(toRecord);
    },
    use: async (tenant = "", account) => toUse(texts(await run(useScript, tenant, account))),
    ping: async () => void (await runScript(probeScript, [`${prefix}probe`], [])),
  };
}

/** Marks an unchanged member; no value of a member has this text. */
const unchanged = "=";

function fromDate(date: Date | undefined): string {
  return date === undefined ? "" : String(date.getTime());
}

function fromData(data: unknown): string {
  return data === undefined ? "" : JSON.stringify(data);
}

function fromLimits({ maxOpen, maxBytes }: AccountLimits = {}): readonly string[] {
  return [maxOpen, maxBytes].map((limit) => (limit === undefined || limit === Number.POSITIVE_INFINITY ? "" : String(limit)));
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

/** Clients can be configured to return buffers for text. */
function texts(reply: unknown): readonly string[] {
  return (reply as readonly unknown[]).map(String);
}
