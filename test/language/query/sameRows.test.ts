// @long

import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { postgresStorage } from "restwright/postgres";
import { matches } from "restwright/query";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { Row } from "../../../src/ground/storage/collection.js";
import type { Filter, RelatedFilter } from "../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../src/ground/storage/model.js";
import type { Storage } from "../../../src/ground/storage/storage.js";
import type { Id } from "../../../src/ground/storage/values/scalar.js";
import { filters, thingModel, things } from "../../adapters/stores/rows/arbitraryFilter.js";
import { postgresUrl } from "../../tools/engines.js";
import { propertyRuns, propertyScale } from "../../tools/propertyRuns.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/** The same each time, but for searches that take longer. */
const seeded = propertyScale > 1 ? {} : { seed: 20_261_124 };

/** Things belong to an owner by `owner`, and owners to another owner. */
const owned = (name: string): CollectionModel => ({
  ...thingModel,
  name,
  columns: [...thingModel.columns, { name: "owner", kind: "text" }],
  indexes: [...thingModel.indexes, [["owner"]]],
});
const thingsModel = owned("owned things");
const ownersModel = owned("owners");
const { searchable } = thingModel;

const ownerIds = fc.constantFrom(null, "r0", "r1", "r2", "r3", "nobody");
const rows = fc.tuple(things, fc.infiniteStream(ownerIds)).map(([all, owners]) => all.map((row): Row => ({ ...row, owner: owners.next().value })));
const related = (filter: Filter): Filter => ({ op: "related", path: ["owner"], collection: ownersModel, filter });
const anyFilter = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    filters,
    filters.map(related),
    tie("filter").map(related),
    fc.record({ op: fc.constantFrom("and", "or"), args: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ op: fc.constant("not"), arg: tie("filter") }),
  ),
})).filter;

const schema = ownSchema();
const stores: readonly { readonly name: string; readonly numRuns: number; readonly open: () => Promise<Storage> }[] = [
  { name: "memory", numRuns: 300, open: async () => memoryStorage() },
  { name: "SQLite", numRuns: 400, open: async () => sqliteStorage({ path: ":memory:" }) },
  ...(postgresUrl === undefined
    ? []
    : [{ name: "PostgreSQL", numRuns: 200, open: async () => postgresStorage({ connectionString: await schema.create() }) }]),
];

let runs = 0;

describe.each(stores)("matches and $name", async ({ numRuns, open }) => {
  const storage = await open();
  await storage.migrate?.([thingsModel, ownersModel]);
  const collections = { things: storage.collection(thingsModel), owners: storage.collection(ownersModel) };
  afterAll(async () => {
    await storage.close?.();
    if (storage.name === "postgres") await schema.drop();
  });

  test("select the same rows by any filter", async () => {
    const property = fc.asyncProperty(rows, rows, anyFilter, async (all, owners, filter) => {
      runs += 1;
      const call = { tenant: `run${runs}` };
      for (const row of all) await collections.things.insert(row, call);
      for (const row of owners) await collections.owners.insert(row, call);
      const isRelated = (each: RelatedFilter, key: Id): boolean => {
        const owner = owners.find(({ id }) => id === key);
        return owner !== undefined && matches(each.filter, owner, { searchable, related: isRelated });
      };
      const expected = all.filter((row) => matches(filter, row, { searchable, related: isRelated })).map(({ id }) => id);
      const found = await collections.things.find({ filter, sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, call);
      expect(found.map(({ id }) => id)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: propertyRuns(numRuns), ...seeded });
  });
});

describe("matches", () => {
  const row = { name: "Ada Lovelace", owner: "r1", born: new Date(0), big: 2n ** 60n };

  test.each<[name: string, filter: Filter, isMatch: boolean]>([
    ["a missing value as null", { op: "eq", path: ["none"], value: null }, true],
    ["no text of digits as a number", { op: "eq", path: ["name"], value: 1 }, false],
    ["an instant", { op: "lte", path: ["born"], value: new Date(0) }, true],
    ["a bigint exactly", { op: "gt", path: ["big"], value: 2n ** 60n - 1n }, true],
    ["no inherited member", { op: "has", path: ["toString"] }, false],
    ["a long list", { op: "in", path: ["big"], values: [...Array.from({ length: 50 }, (_, index) => index), 2n ** 60n] }, true],
    ["null in a long list", { op: "in", path: ["none"], values: [...Array.from({ length: 50 }, (_, index) => index), null] }, true],
  ])("takes %s", (_, filter, isMatch) => {
    expect(matches(filter, row)).toBe(isMatch);
  });

  test("refuses to guess about what it is not given", () => {
    expect(() => matches({ op: "search", text: "ada" }, row)).toThrow(/"searchable"/);
    expect(() => matches({ op: "not", arg: related({ op: "and", args: [] }) }, row)).toThrow(/rows of "owners".*"related"/);
    expect(matches({ op: "search", text: "ada" }, row, { searchable: [["name"]] })).toBe(true);
    expect(matches(related({ op: "and", args: [] }), row, { related: (_, key) => key === "r1" })).toBe(true);
  });
});
