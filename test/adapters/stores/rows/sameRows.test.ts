// @long

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../../../adapters/stores/sql/engine/executor.js";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { sqlStorage } from "../../../../adapters/stores/sql/storage.js";
import type { Call, Collection, Row } from "../../../../src/ground/storage/collection.js";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import type { Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { keysetFilter } from "../../../../src/language/query/paging/keyset.js";
import { postgresUrl } from "../../../tools/engines.js";
import { propertyRuns, propertyScale } from "../../../tools/propertyRuns.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { requiredMethodsOnly } from "../../../tools/storage/requiredMethodsOnly.js";
import { filters, groupQueries, sorts, thingModel, things } from "./arbitraryFilter.js";
import { matchNaively, sortNaively, valueAt } from "./naiveFilter.js";

/** The same each time, but for searches that take longer. */
const seeded = propertyScale > 1 ? {} : { seed: 20_260_101 };

/** The same collection with ids that the store could have given. */
const numberedModel: CollectionModel = {
  ...thingModel,
  name: "numbered things",
  idFrom: "store",
  columns: thingModel.columns.map((column) => (column.name === "id" ? { name: "id", kind: "int" } : column)),
};

let runs = 0;

interface Opened {
  readonly rows: readonly Row[];
  readonly things: Required<Collection>;
  readonly call: Call;
}

/** SQLite where every tenant seems to have many rows: reads that no index answers go through them in slices. */
function slowSqlite(path: string): Storage {
  const slow = (executor: SqlExecutor): SqlExecutor => ({
    dialect: executor.dialect,
    query: async (statement, bounds) =>
      statement.text.startsWith('select 1 as "more"') ? { rows: [{ more: 1 }], affected: 1 } : executor.query(statement, bounds),
    transaction: (run, options) => executor.transaction((tx) => run(slow(tx)), options),
    plan: async (statement) => (await executor.plan?.(statement)) ?? [],
    openScan: (bounds, isStream) => executor.openScan?.(bounds, isStream) ?? Promise.reject(new Error("There are no scans.")),
    close: async () => executor.close?.(),
  });
  return sqlStorage(slow(sqliteExecutor({ path })));
}

/** A collection of its own for each run: a tenant, so that no table needs to be made for it. */
async function openRows(storage: Storage, model: CollectionModel, given: readonly Row[]): Promise<Opened> {
  runs += 1;
  const call = { tenant: `run${runs}` };
  const rows = model.idFrom === "caller" ? given : given.map((row, index) => ({ ...row, id: runs * 100 + index }));
  const collection = complete(storage.collection(model), model.id);
  for (const outcome of await collection.insertMany(rows, call)) expect(outcome.ok).toBe(true);
  return { rows, things: collection, call };
}

function matching(rows: readonly Row[], filter: Filter): Row[] {
  return rows.filter((row) => matchNaively(filter, row, thingModel.searchable));
}

/** Null and absent are the same; a zero has no sign in a database. */
function withoutNulls(row: object): object {
  const entries = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, JSON.parse(JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}n` : member)))]),
  );
}

const plain = (rows: readonly Row[]) => rows.map(withoutNulls);
const ids = (rows: readonly Row[]) => rows.map((row) => row["id"]);

const schema = ownSchema();
const engines: readonly {
  readonly name: string;
  readonly numRuns: number;
  readonly model?: CollectionModel;
  readonly open: () => Promise<Storage>;
}[] = [
  { name: "memory", numRuns: 300, open: async () => memoryStorage() },
  { name: "memory with nothing but the required methods", numRuns: 150, open: async () => requiredMethodsOnly(memoryStorage()) },
  { name: "SQLite", numRuns: 400, open: async () => sqliteStorage({ path: ":memory:" }) },
  { name: "SQLite in slices", numRuns: 200, open: async () => slowSqlite(":memory:") },
  { name: "SQLite in slices, in a file,", numRuns: 60, open: async () => slowSqlite(join(mkdtempSync(join(tmpdir(), "restwright-")), "data.db")) },
  { name: "SQLite in slices, with rows that it numbers,", numRuns: 100, model: numberedModel, open: async () => slowSqlite(":memory:") },
  { name: "SQLite, with rows that it numbers,", numRuns: 150, model: numberedModel, open: async () => sqliteStorage({ path: ":memory:" }) },
  ...(postgresUrl === undefined
    ? []
    : [{ name: "PostgreSQL", numRuns: 150, open: async () => postgresStorage({ connectionString: await schema.create() }) }]),
];

describe.each(engines)("on $name a naive interpreter's rows come", async ({ numRuns, model = thingModel, open }) => {
  const storage = await open();
  await storage.migrate?.([model]);
  const options = { numRuns: propertyRuns(numRuns), ...seeded };
  afterAll(async () => {
    await storage.close?.();
    if (storage.name === "postgres") await schema.drop();
  });

  test("for any filter, order, limit and offset, as they were written", async () => {
    const property = fc.asyncProperty(things, filters, sorts, fc.nat(8), fc.nat(4), async (given, filter, sort, limit, offset) => {
      const { rows, things: collection, call } = await openRows(storage, model, given);
      const expected = sortNaively(matching(rows, filter), sort);
      expect(plain(await collection.find({ filter, sort, limit: 100 }, call))).toEqual(plain(expected));
      expect(ids(await collection.find({ filter, sort, limit, offset }, call))).toEqual(ids(expected.slice(offset, offset + limit)));
      expect(await collection.count(filter, call)).toBe(expected.length);
    });
    await fc.assert(property, options);
  });

  test("page by page behind the last row of each, for any filter and order", async () => {
    const pageRows = fc.integer({ min: 1, max: 3 });
    const property = fc.asyncProperty(things, filters, sorts, pageRows, async (given, filter, sort, limit) => {
      const { rows, things: collection, call } = await openRows(storage, model, given);
      const expected = sortNaively(matching(rows, filter), sort);
      const met: Row[] = [];
      let page = await collection.find({ filter, sort, limit }, call);
      while (page.length > 0 && met.length <= rows.length) {
        met.push(...page);
        const last = page.at(-1);
        const keys = sort.map(({ path, dir }) => ({ path, dir, value: (last && (valueAt(last, path) as Scalar | undefined)) ?? null }));
        const behind = keysetFilter(keys.map((key) => ({ ...key, nullable: key.path[0] !== "id" })));
        page = await collection.find({ filter: { op: "and", args: [filter, behind] }, sort, limit }, call);
      }
      expect(ids(met)).toEqual(ids(expected));
    });
    await fc.assert(property, options);
  });

  test("for groups by any key, with any filter and limit", async () => {
    const property = fc.asyncProperty(things, filters, groupQueries, async (given, filter, query) => {
      const { rows, things: collection, call } = await openRows(storage, model, given);
      const found = await collection.findGroups({ ...query, filter }, call);
      const expected = query.keys.map((key) => {
        const inGroup = matching(rows, { op: "and", args: [filter, { op: "eq", path: [query.key], value: key }] });
        return ids(sortNaively(inGroup, [{ path: ["id"], dir: "asc" }]).slice(0, query.limit));
      });
      const distinct = new Map(expected.filter((group) => group.length > 0).map((group) => [group.join(), group]));
      const groups = query.keys.map((key) => ids(found.filter((row) => matchNaively({ op: "eq", path: [query.key], value: key }, row, []))));
      expect(groups).toEqual(expected);
      expect(found).toHaveLength([...distinct.values()].flat().length);
    });
    await fc.assert(property, options);
  });
});
