import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { redisUploads } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import type { UploadSubject } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";
import { connectRedis, ownPrefix, redisUrl } from "./redisServer.js";
import { testUploads } from "./uploadTests.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-uploads-"));
const opened: Storage[] = [];
let files = 0;

afterAll(async () => {
  for (const storage of opened) await storage.close?.();
  rmSync(folder, { recursive: true, force: true });
});

/** A storage that is closed when all tests have run. */
async function opening(storage: Storage): Promise<UploadSubject> {
  opened.push(storage);
  await storage.migrate?.([]);
  return { storage };
}

describe("uploads in the memory store", () => testUploads(() => opening(memoryStorage())));

describe("uploads in SQLite in a file", () =>
  testUploads(() => {
    files += 1;
    return opening(sqliteStorage({ path: join(folder, `${files}.db`) }));
  }));

describe("uploads in SQLite in memory", () => testUploads(() => opening(sqliteStorage({ path: ":memory:" }))));

describe.skipIf(postgresUrl === undefined)("uploads in PostgreSQL (set POSTGRES_URL to run)", async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  await testUploads(async () => {
    const schema = ownSchema();
    const storage = postgresStorage({ connectionString: await schema.create() });
    ends.push(async () => {
      await storage.close?.();
      await schema.drop();
    });
    await storage.migrate?.([]);
    return { storage };
  });
});

describe.skipIf(redisUrl === undefined)("uploads in Redis (set REDIS_URL to run)", async () => {
  if (redisUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const client = connectRedis();
  const { prefix, remove } = ownPrefix();
  let stores = 0;
  afterAll(async () => {
    await remove(client);
    await client.quit();
  });
  const open = async () => {
    stores += 1;
    return { store: redisUploads(client, { prefix: `${prefix}{${stores}}:` }) };
  };
  await testUploads(open, ["the store stands alone, without a storage"]);
});
