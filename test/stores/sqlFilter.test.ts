import fc from "fast-check";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { filters, thingModel, things } from "./arbitraryFilter.js";
import { matchNaively } from "./naiveFilter.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";

let runs = 0;

/** Each run has a tenant of its own: no table needs to be made for it. */
async function agrees(storage: Storage, numRuns: number): Promise<void> {
  const collection = storage.collection(thingModel);
  await storage.migrate?.([thingModel]);
  const property = fc.asyncProperty(things, filters, async (rows, filter) => {
    runs += 1;
    const call = { tenant: `run${runs}` };
    for (const outcome of (await collection.insertMany?.(rows, call)) ?? []) expect(outcome.ok).toBe(true);
    const found = await collection.find({ filter, sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, call);
    const expected = rows.filter((row) => matchNaively(filter, row, thingModel.searchable));
    expect(found.map((row) => row["id"])).toEqual(expected.map((row) => row["id"]).sort());
    const stored = await collection.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, call);
    for (const [index, row] of stored.entries()) expect(withoutNulls(row)).toEqual(withoutNulls(rows[index] ?? {}));
  });
  await fc.assert(property, { numRuns });
}

/** Null and absent are the same; a zero has no sign in a database. */
function withoutNulls(row: object): object {
  const entries = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, JSON.parse(JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}n` : member)))]),
  );
}

describe("filters in SQL mean the rows that a naive interpreter means, and rows come back as they were written", () => {
  test("on SQLite", async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    await agrees(storage, 1_000);
    await storage.close?.();
  });

  describe.skipIf(postgresUrl === undefined)("with POSTGRES_URL", () => {
    const schema = ownSchema();
    afterAll(schema.drop);

    test("on PostgreSQL", { timeout: 60_000 }, async () => {
      const storage = postgresStorage({ connectionString: await schema.create() });
      await agrees(storage, 400);
      await storage.close?.();
    });
  });
});
