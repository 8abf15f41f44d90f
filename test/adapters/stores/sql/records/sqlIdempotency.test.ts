import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStorage } from "restwright/postgres";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../../../../adapters/stores/sql/engine/executor.js";
import { sqliteExecutor } from "../../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { Retryable } from "../../../../../src/ground/storage/errors.js";
import type { BeginRequest, IdempotencyStore } from "../../../../../src/ground/storage/idempotency.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { postgresUrl } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const request: BeginRequest = { fingerprint: "f", operationId: "o", leaseMs: 60_000, ttlMs: 86_400_000 };
const folder = mkdtempSync(join(tmpdir(), "restwright-idempotency-"));
const schema = ownSchema();

const engines: Record<string, () => Promise<() => Storage>> = {
  SQLite: async () => () => sqliteStorage({ path: join(folder, "data.db") }),
};
if (postgresUrl !== undefined) {
  engines["PostgreSQL"] = async () => {
    const connectionString = await schema.create();
    return () => postgresStorage({ connectionString });
  };
}
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (postgresUrl !== undefined) await schema.drop();
});

function storeOf({ idempotency }: Storage): IdempotencyStore {
  return idempotency ?? expect.fail("The storage has no idempotency store.");
}

describe.each(Object.entries(engines))("records of operations on %s", async (_name, prepare) => {
  const openStorage = await prepare();
  const storages = Array.from({ length: 5 }, openStorage);
  afterAll(async () => {
    for (const storage of storages) await storage.close?.();
  });
  const stores = storages.map(storeOf);
  const [storage, store] = [storages[0] ?? expect.fail(), stores[0] ?? expect.fail()];

  test("have a table that any number of processes make at once, by the migration of the storage or their own", async () => {
    await Promise.all([...storages.map((one) => one.migrate?.([])), ...stores.map((one) => one.migrate?.())]);
    expect((await store.begin("migrated", request)).kind).toBe("acquired");
  });

  test("are seen by every process, of which one acquires the lease", async () => {
    const begun = await Promise.all(Array.from({ length: 50 }, (_, index) => (stores[index % 5] ?? store).begin("shared", request)));
    expect(begun.filter((one) => one.kind === "acquired")).toHaveLength(1);
    expect(await stores[1]?.complete("shared", "o", 1, Uint8Array.of(0, 255))).toBe(true);
    expect(await stores[2]?.begin("shared", request)).toMatchObject({ kind: "done", fingerprint: "f" });
  });

  test("are all purged when they have expired, however many there are", async () => {
    await store.begin("stays", request);
    await Promise.all(Array.from({ length: 2_345 }, (_, index) => store.begin(`old ${index}`, { ...request, leaseMs: 1, ttlMs: 1 })));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await store.purge?.()).toBe(2_345);
    expect(await store.purge?.()).toBe(0);
    expect((await store.begin("stays", request)).kind).toBe("inFlight");
  });

  test("cannot be begun in a transaction that only reads", async () => {
    const reading = storage.transaction?.((tx) => storeOf(tx).begin("read only", request), { readOnly: true });
    await expect(reading).rejects.toThrow("read-only");
    expect((await store.begin("read only", request)).kind).toBe("acquired");
  });
});

test("a record that goes each time before it is read is tried again five times, and given up as a lost race", async () => {
  const executor = sqliteExecutor({ path: ":memory:" });
  await sqlStorage(executor).migrate?.([]);
  const blocked = storeOf(sqlStorage(executor));
  await blocked.begin("id", request);
  let reads = 0;
  const vanishing: SqlExecutor = {
    dialect: "sqlite",
    query: (statement) => {
      if (statement.writes) return executor.query(statement);
      reads += 1;
      return Promise.resolve({ rows: [], affected: 0 });
    },
    transaction: (run, options) => executor.transaction(run, options),
  };
  await expect(storeOf(sqlStorage(vanishing)).begin("id", request)).rejects.toBeInstanceOf(Retryable);
  // The first look, and one after each begin.
  expect(reads).toBe(6);
  await executor.close?.();
});
