import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { compareText } from "../../adapters/memory/compare.js";
import { compileLike } from "../../adapters/memory/like.js";
import { smallest } from "../../adapters/memory/smallest.js";
import type { Row } from "../../src/storage/collection.js";
import type { Filter, LikePart } from "../../src/storage/filter.js";
import type { CollectionModel } from "../../src/storage/model.js";
import type { Path, Scalar } from "../../src/storage/scalar.js";
import { likeNaively, matchNaively } from "./naiveFilter.js";

const model: CollectionModel = {
  name: "things",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "key", kind: "text" },
    { name: "name", kind: "text", fold: true },
    { name: "quantity", kind: "number" },
    { name: "serial", kind: "bigint" },
    { name: "active", kind: "boolean" },
    { name: "at", kind: "datetime" },
    { name: "address", kind: "json" },
    { name: "tags", kind: "json" },
  ],
  unique: [{ fields: ["id", "name"] }, { fields: ["key"], fold: true }],
  indexes: [[["name"]], [["quantity"], ["name"]], [["address", "city"]], [["at"]]],
  searchable: [["name"], ["address", "city"]],
};

const text = fc.string({ unit: fc.constantFrom("a", "A", "b", "é", "e", "\u0301", "É", "😀", "\uffee", "%", "_", "\\", "*", " "), maxLength: 4 });
const number = fc.constantFrom(-2.5, -1, -0, 0, 1, 3, 10, 2 ** 53);
const bigint = fc.constantFrom(-1n, 0n, 1n, 3n, 2n ** 53n, 2n ** 53n + 1n);
const date = fc.constantFrom(new Date(-1), new Date(0), new Date(1));
const json = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(text, number, bigint, fc.boolean(), date, fc.constant(null));
const address = fc.oneof(
  { weight: 4, arbitrary: fc.record({ city: json, floor: json, geo: fc.oneof(fc.record({ lat: number }), json) }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.oneof(fc.array(json, { maxLength: 2 }), json) },
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const values = fc.record(
  {
    name: maybe(text),
    quantity: maybe(number),
    serial: maybe(bigint),
    active: maybe(fc.boolean()),
    at: maybe(date),
    address: maybe(address),
    tags: fc.oneof(fc.array(json, { maxLength: 3 }), json),
  },
  { requiredKeys: [] },
);
const rows = fc
  .array(values, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((row, index): Row => ({ ...row, id: `r${index}`, key: `k${index}`, _version: `v${index}`, _updatedAt: new Date(0) })));

const path: fc.Arbitrary<Path> = fc.constantFrom<Path[]>(
  ["id"],
  ["name"],
  ["quantity"],
  ["serial"],
  ["active"],
  ["at"],
  ["tags"],
  ["address"],
  ["address", "city"],
  ["address", "floor"],
  ["address", "geo", "lat"],
  ["address", "toString"],
  ["name", "length"],
);
const parts = fc.array(fc.oneof<fc.Arbitrary<LikePart>[]>(text, fc.constantFrom<LikePart[]>({ any: "one" }, { any: "many" })), { maxLength: 5 });
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ op: fc.constantFrom("eq", "ne", "gt", "gte", "lt", "lte"), path, value: scalar }),
  fc.record({ op: fc.constant("eq"), path: fc.constant<Path>(["id"]), value: fc.constantFrom("r0", "r1", "r9") }),
  fc.record({ op: fc.constant("in"), path, values: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ op: fc.constant("like"), path, parts, fold: fc.boolean() }),
  fc.record({ op: fc.constant("has"), path }),
  fc.record({ op: fc.constant("contains"), path, value: scalar }),
  fc.record({ op: fc.constant("search"), text }),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ op: fc.constantFrom("and", "or"), args: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ op: fc.constant("not"), arg: tie("filter") }),
  ),
}));

describe("the compiled filter", () => {
  test("means the rows that a naive interpreter means, with indexes or without", async () => {
    const property = fc.asyncProperty(rows, filter, async (all, wanted) => {
      const expected = all.filter((row) => matchNaively(wanted, row, model.searchable)).map((row) => row["id"]);
      for (const indexes of [model.indexes, []]) {
        const collection = memoryStorage().collection({ ...model, indexes });
        for (const row of all) await collection.insert(row, {});
        const found = await collection.find({ filter: wanted, sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, {});
        expect(found.map((row) => row["id"]).sort()).toEqual([...expected].sort());
      }
    });
    await fc.assert(property, { numRuns: 1_500 });
  });

  test("like matches what a backtracking matcher matches", () => {
    fc.assert(
      fc.property(parts, fc.string({ unit: fc.constantFrom("a", "b", "😀", "\n", "%"), maxLength: 8 }), (pattern, subject) => {
        expect(compileLike(pattern, false)(subject)).toBe(likeNaively(pattern, subject));
      }),
      { numRuns: 3_000 },
    );
  });

  test("like stays linear on patterns that make backtracking matchers explode", () => {
    const many: LikePart = { any: "many" };
    const match = compileLike(Array.from({ length: 200 }, (_, index): LikePart => (index % 2 === 0 ? "a" : many)).concat("b"), false);
    const started = performance.now();
    expect(match("a".repeat(100_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("orders", () => {
  test("text compares as its UTF-8 bytes do", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (left, right) => {
        expect(Math.sign(compareText(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });

  test("the smallest items are those of a stable sort", () => {
    const item = fc.record({ rank: fc.nat(5), name: fc.nat() });
    fc.assert(
      fc.property(fc.array(item), fc.nat(20), (items, count) => {
        const byRank = (left: { rank: number }, right: { rank: number }) => left.rank - right.rank;
        expect(smallest(items, byRank, count)).toEqual(items.toSorted(byRank).slice(0, count));
      }),
    );
  });
});
