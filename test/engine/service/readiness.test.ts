import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { BlobStore, IdempotencyStore, Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { redisIdempotency, redisUploads } from "restwright/redis";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/engines.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { things } from "./resources.js";

type Call = () => Promise<void>;

/** A service whose parts answer as they are told to. */
function setUp({ probe, ping, keys, records, files }: { probe?: Call; ping?: Call; keys?: Call; records?: Call; files?: Call }) {
  const clock = new FakeClock();
  const memory = memoryStorage({ clock });
  const storage: Storage = { ...memory, ...(probe && { probe }), ...(ping && { ping }) };
  const store: IdempotencyStore | undefined = keys && memory.idempotency && { ...memory.idempotency, ping: keys };
  const blobs: BlobStore | undefined = files && Object.assign(memoryBlobs(), { ping: files });
  const options: FullServiceOptions = { resources: [things], storage, blobs, clock, timers: clock };
  const uploads = records && memory.uploads && { types: ["image/png"], store: { ...memory.uploads, ping: records } };
  return { clock, service: fullService({ ...options, idempotency: store && { store }, uploads }) };
}

const ok: Call = async () => {};
const down: Call = async () => {
  throw new Error("down");
};
const silent: Call = () => new Promise(() => {});

describe("a service is not ready", () => {
  test("while its storage answers but takes no writes", async () => {
    expect(await setUp({ probe: down, ping: ok }).service.ready()).toMatchObject({ ready: false, storage: { ok: false } });
    expect(await setUp({ probe: ok, ping: down }).service.ready()).toMatchObject({ ready: true, storage: { ok: true } });
    expect((await setUp({ ping: down }).service.ready()).ready).toBe(false);
  });

  test("while the store of keys or the place of files is down", async () => {
    expect(await setUp({ keys: down, files: ok }).service.ready()).toMatchObject({
      ready: false,
      storage: { ok: true },
      keys: { ok: false },
      blobs: { ok: true },
    });
    expect(await setUp({ keys: ok, files: down }).service.ready()).toMatchObject({ ready: false, keys: { ok: true }, blobs: { ok: false } });
  });

  test("while the store of uploads is down", async () => {
    expect(await setUp({ records: down, files: ok }).service.ready()).toMatchObject({ ready: false, uploads: { ok: false }, blobs: { ok: true } });
    expect(await setUp({ records: ok, files: ok }).service.ready()).toMatchObject({ ready: true, uploads: { ok: true } });
  });

  test("while a part does not answer within two seconds", async () => {
    const { clock, service } = setUp({ keys: silent });
    const ready = service.ready();
    await sleep(10);
    clock.advance(2_000);
    expect(await ready).toMatchObject({ ready: false, storage: { ok: true }, keys: { ok: false } });
  });
});

test("the parts are asked once a second, however often a load balancer asks", async () => {
  let asked = 0;
  const { clock, service } = setUp({
    probe: async () => {
      asked += 1;
    },
  });
  await Promise.all([service.ready(), service.ready(), service.ready()]);
  clock.advance(999);
  await service.ready();
  expect(asked).toBe(1);
  clock.advance(1);
  await service.ready();
  expect(asked).toBe(2);
});

const redisStores = [
  ["keys", redisIdempotency],
  ["uploads", redisUploads],
] as const;

test.each(redisStores)("a store of %s in Redis that cannot be reached is not ready", async (_, open) => {
  const client = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: () => null }).on("error", () => undefined);
  await expect(open(client, { timeoutMs: 500 }).ping?.()).rejects.toThrow();
  client.disconnect();
});

const { REDIS_URL, POSTGRES_URL } = process.env;

test.each(redisStores)("a store of %s in Redis that can be reached is ready", needs("redis"), async (_, open) => {
  const client = new Redis(REDIS_URL ?? "");
  await open(client).ping?.();
  client.disconnect();
});

test("PostgreSQL that is read-only is not ready", needs("postgres"), async () => {
  const url = new URL(POSTGRES_URL ?? "");
  const writable = postgresStorage({ connectionString: url.href });
  url.searchParams.set("options", "-c default_transaction_read_only=on");
  const standby = postgresStorage({ connectionString: url.href });
  onTestFinished(async () => {
    await writable.close?.();
    await standby.close?.();
  });
  await writable.migrate?.([]);
  await writable.probe?.();
  await standby.ping?.();
  await expect(standby.probe?.()).rejects.toThrow();
});
