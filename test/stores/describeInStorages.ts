import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";

/** Opens one that is empty; it is closed when all tests have run. */
type OpenStorage = () => Promise<{ readonly storage: Storage }>;

/**
 * Tests a part of every storage: in memory, in SQLite in a file and in memory, and in PostgreSQL.
 *
 * @param what the part, as `uploads`
 * @param run defines the tests
 */
export function describeInStorages(what: string, run: (open: OpenStorage) => Promise<void>): void {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  const ends: (() => unknown)[] = [];
  let files = 0;
  afterAll(async () => {
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  });
  const opening = async (storage: Storage) => {
    ends.push(() => storage.close?.());
    await storage.migrate?.([]);
    return { storage };
  };

  describe(`${what} in the memory store`, () => run(() => opening(memoryStorage())));

  describe(`${what} in SQLite in a file`, () =>
    run(() => {
      files += 1;
      return opening(sqliteStorage({ path: join(folder, `${files}.db`) }));
    }));

  describe(`${what} in SQLite in memory`, () => run(() => opening(sqliteStorage({ path: ":memory:" }))));

  describe.skipIf(postgresUrl === undefined)(`${what} in PostgreSQL (set POSTGRES_URL to run)`, async () => {
    if (postgresUrl === undefined) {
      test("needs a server", () => {});
      return;
    }
    await run(async () => {
      const schema = ownSchema();
      const opened = await opening(postgresStorage({ connectionString: await schema.create() }));
      ends.push(() => schema.drop());
      return opened;
    });
  });
}
