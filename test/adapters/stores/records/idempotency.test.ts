// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryIdempotency, memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { redisIdempotency } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, type IdempotencySubject } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { describeInRedis } from "../redis/describeInRedis.js";
import { testIdempotency } from "./idempotencyTests.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-idempotency-"));
const opened: Storage[] = [];
let files = 0;
const standsAlone = "the store stands alone, without a storage";
/** Where both are one transaction without a round trip. */
const endsNone = (store: string) => `${store} ends no operation with an insert`;

afterAll(async () => {
  for (const storage of opened) await storage.close?.();
  rmSync(folder, { recursive: true, force: true });
});

/** A storage that is closed when all tests have run. */
async function opening(storage: Storage): Promise<IdempotencySubject> {
  opened.push(storage);
  await storage.migrate?.([]);
  return { storage };
}

describe("idempotency in the memory store", () =>
  testIdempotency(async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), advance: (ms) => clock.advance(ms) };
  }, [endsNone("memory")]));

describe("idempotency in the memory store by the system's clock", () => testIdempotency(() => opening(memoryStorage()), [endsNone("memory")]));

describe("idempotency in memory without rows", () => {
  const clock = new FakeClock();
  const open = async () => ({ store: memoryIdempotency({ clock }), advance: (ms: number) => clock.advance(ms) });
  return testIdempotency(open, [standsAlone]);
});

describe("idempotency in SQLite in a file", () =>
  testIdempotency(() => {
    files += 1;
    return opening(sqliteStorage({ path: join(folder, `${files}.db`) }));
  }, [endsNone("sqlite")]));

describe("idempotency in SQLite in memory", () => testIdempotency(() => opening(sqliteStorage({ path: ":memory:" })), [endsNone("sqlite")]));

describe("idempotency in PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const schema = ownSchema();
  const connectionString = await schema.create();
  const storages: Storage[] = [];
  afterAll(async () => {
    for (const storage of storages) await storage.close?.();
    await schema.drop();
  });
  const open = async () => {
    const storage = postgresStorage({ connectionString });
    storages.push(storage);
    return { storage };
  };
  await testIdempotency(open);
});

describeInRedis("idempotency in Redis", async (client, prefix) => {
  const open = async () => ({ store: redisIdempotency(client, { prefix }) });
  await testIdempotency(open, [standsAlone, "the store has no purge()"]);
});
