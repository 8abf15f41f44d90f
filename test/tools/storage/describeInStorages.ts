import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { needs, postgresUrl } from "../engines.js";
import { ownSchema } from "./postgresSchema.js";

/** Opens one that is empty; it is closed when all tests have run. */
type OpenStorage = () => Promise<{ readonly storage: Storage }>;

/** Defines the tests of a part of a storage. */
type DefineTests = (open: OpenStorage) => Promise<void>;

/**
 * Tests a part of every storage: in memory, in SQLite in a file and in memory, and in PostgreSQL.
 *
 * @param what the part, as `uploads`
 * @param run defines the tests
 */
export function describeInStorages(what: string, run: DefineTests): void {
  describeInMemory(what, run);
  describeOnDisk(what, run);
}

/** The storages of `describeInStorages` that need no file and no server. */
export function describeInMemory(what: string, run: DefineTests): void {
  const { open } = storagesOfFile();
  describe(`${what} in the memory store`, () => run(() => open(memoryStorage())));
  describe(`${what} in SQLite in memory`, () => run(() => open(sqliteStorage({ path: ":memory:" }))));
}

/** The other storages of `describeInStorages`. */
export function describeOnDisk(what: string, run: DefineTests): void {
  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  // Runs after the storages are closed: vitest runs these in reverse order.
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { open, ends } = storagesOfFile();
  let files = 0;

  describe(`${what} in SQLite in a file`, () =>
    run(() => {
      files += 1;
      return open(sqliteStorage({ path: join(folder, `${files}.db`) }));
    }));

  describe(`${what} in PostgreSQL (set POSTGRES_URL to run)`, needs("postgres"), async () => {
    if (postgresUrl === undefined) {
      test("needs a server", () => {});
      return;
    }
    await run(async () => {
      const schema = ownSchema();
      const opened = await open(postgresStorage({ connectionString: await schema.create() }));
      ends.push(() => schema.drop());
      return opened;
    });
  });
}

/** Opens storages, and closes them when all tests of the file have run. */
function storagesOfFile() {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  const open = async (storage: Storage) => {
    ends.push(() => storage.close?.());
    await storage.migrate?.([]);
    return { storage };
  };
  return { open, ends };
}
