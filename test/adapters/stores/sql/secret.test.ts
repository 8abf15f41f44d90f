import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { postgresUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-secret-"));
const path = join(folder, "data.db");
const schema = ownSchema();
const connectionString = postgresUrl === undefined ? "" : await schema.create();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (postgresUrl !== undefined) await schema.drop();
});

async function secretOf(storage: Storage): Promise<string | undefined> {
  await storage.migrate?.([]);
  return storage.secret?.();
}

const engines = [
  { name: "SQLite", open: () => sqliteStorage({ path }), execute: () => sqliteExecutor({ path }) },
  ...(postgresUrl === undefined
    ? []
    : [{ name: "PostgreSQL", open: () => postgresStorage({ connectionString }), execute: () => postgresExecutor({ connectionString }) }]),
];

describe.each(engines)("the secret on $name", ({ open, execute }) => {
  test("is one for all stores that open a new database at once", async () => {
    const stores = Array.from({ length: 6 }, open);
    const secrets = await Promise.all(stores.map(secretOf));
    for (const store of stores) await store.close?.();
    expect(new Set(secrets).size).toBe(1);
    expect(Buffer.from(secrets[0] ?? "", "base64url")).toHaveLength(32);
  });

  test("is the same over a caller's executor, also within its transaction", async () => {
    const store = open();
    const secret = await secretOf(store);
    await store.close?.();
    const executor = execute();
    expect(await secretOf(sqlStorage(executor))).toBe(secret);
    expect(await executor.transaction(async (tx) => secretOf(sqlStorage(tx, { inTransaction: true })))).toBe(secret);
    await executor.close?.();
  });

  test("keeps the store's own tables from collections", async () => {
    const store = open();
    const columns = [{ name: "id", kind: "text" }] as const;
    for (const name of ["_restwright", "_Restwright_secrets"]) {
      const model = { name, id: "id", idFrom: "caller", columns, unique: [], indexes: [], searchable: [] } as const;
      expect(() => store.collection(model)).toThrow(`A collection cannot be called "${name}"`);
    }
    await store.close?.();
  });
});

test("stores in memory have secrets of their own", async () => {
  const secrets = await Promise.all([memoryStorage(), memoryStorage(), sqliteStorage({ path: ":memory:" })].map(secretOf));
  expect(new Set(secrets).size).toBe(3);
});
