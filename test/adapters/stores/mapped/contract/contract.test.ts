// @long

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { storageContract } from "restwright/testing";
import { afterAll, describe, test } from "vitest";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { needs, postgresUrl } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import type { TableStyle } from "./developersTable.js";
import { mappedStorage } from "./mappedStorage.js";
import { notKept, runScenarios } from "./runScenarios.js";

const styles: Readonly<Record<string, TableStyle>> = {
  "the hash of a row": { version: "hash", collation: '"C"', instants: 6 },
  "an integer that this library counts": {
    version: { column: "lock_version", by: "restwright" },
    collation: '"C"',
    casing: "snake_case",
    instants: 3,
  },
  "an integer that a trigger counts": { version: { column: "lock_version", by: "trigger" }, collation: '"C"', instants: 6 },
  "an instant": { version: { column: "version_at" }, collation: '"C"', casing: "snake_case", instants: 6 },
  "the hash of a row, with texts in the order of a language": { version: "hash", collation: '"de-x-icu"', instants: 3 },
  "xmin and ctid": { version: "xmin", collation: '"C"', instants: 3 },
};

/** Cases that expect texts in the order of code points. */
const comparesOrder = /^(?:filter paths › name: |sort paths › .*\bname\b|filter logic › after three values)/;

for (const [name, style] of Object.entries(styles)) {
  describe(`tables of a developer whose version is ${name} (set POSTGRES_URL to run)`, needs("postgres"), async () => {
    if (postgresUrl === undefined) {
      test("needs a server", () => {});
      return;
    }
    const schema = ownSchema();
    const connectionString = await schema.create();
    const pool = new pg.Pool({ connectionString, max: 2 });
    const opened = new Set<Storage>();
    const open = async () => {
      const storage = mappedStorage(postgresStorage({ connectionString }), pool, style);
      opened.add(storage);
      return storage;
    };
    const reopen = async (storage: Storage) => {
      await storage.close?.();
      return open();
    };
    afterAll(async () => {
      for (const storage of opened) await storage.close?.();
      await pool.end();
      await schema.drop();
    });

    const scenarios = await storageContract({ open, reopen });
    // The order of a column is that of its collation, so that its indexes serve.
    runScenarios(name, style.collation === '"C"' ? scenarios : scenarios.filter(({ name }) => !comparesOrder.test(name)), notKept);
  });
}
