import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, type WebhookSubject } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";
import { testWebhooks } from "./webhookTests.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-webhooks-"));
const opened: Storage[] = [];
let files = 0;

afterAll(async () => {
  for (const storage of opened) await storage.close?.();
  rmSync(folder, { recursive: true, force: true });
});

/** A storage that is closed when all tests have run. */
async function opening(storage: Storage): Promise<WebhookSubject> {
  opened.push(storage);
  await storage.migrate?.([]);
  return { storage };
}

describe("webhooks in the memory store", () =>
  testWebhooks(async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), advance: (ms) => clock.advance(ms) };
  }));

describe("webhooks in the memory store by the system's clock", () => testWebhooks(() => opening(memoryStorage())));

describe("webhooks in SQLite in a file", () =>
  testWebhooks(() => {
    files += 1;
    return opening(sqliteStorage({ path: join(folder, `${files}.db`) }));
  }));

describe("webhooks in SQLite in memory", () => testWebhooks(() => opening(sqliteStorage({ path: ":memory:" }))));

describe.skipIf(postgresUrl === undefined)("webhooks in PostgreSQL (set POSTGRES_URL to run)", async () => {
  if (postgresUrl === undefined) {
    test("needs a server", () => {});
    return;
  }
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  await testWebhooks(async () => {
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
