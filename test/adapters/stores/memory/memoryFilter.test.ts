import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { smallest } from "../../../../adapters/stores/memory/rows/smallest.js";
import type { Row } from "../../../../src/ground/storage/collection.js";
import type { LikePart } from "../../../../src/ground/storage/filter.js";
import { compareText } from "../../../../src/ground/storage/matches/compareText.js";
import { compileLike } from "../../../../src/ground/storage/matches/like.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { filters, likeParts, thingModel, things } from "../rows/arbitraryFilter.js";
import { likeNaively, matchNaively } from "../rows/naiveFilter.js";

/** With a unique key and an index on top, so that every way to candidates is taken. */
const model: CollectionModel = {
  ...thingModel,
  columns: [...thingModel.columns, { name: "key", kind: "text" }],
  unique: [{ fields: ["id", "name"] }, { fields: ["key"], fold: true }],
  indexes: [...thingModel.indexes, [["at"]]],
};
const rows = things.map((all) => all.map((row, index): Row => ({ ...row, key: `k${index}` })));

describe("the compiled filter", () => {
  test("means the rows that a naive interpreter means, with indexes or without", async () => {
    const property = fc.asyncProperty(rows, filters, async (all, wanted) => {
      const expected = all.filter((row) => matchNaively(wanted, row, model.searchable)).map((row) => row["id"]);
      for (const indexes of [model.indexes, []]) {
        const collection = memoryStorage().collection({ ...model, indexes });
        for (const row of all) await collection.insert(row, {});
        const found = await collection.find({ filter: wanted, sort: [{ path: ["id"], dir: "asc" }], limit: 100 }, {});
        expect(found.map((row) => row["id"]).sort()).toEqual([...expected].sort());
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(1_500) });
  });

  test("like matches what a backtracking matcher matches", () => {
    fc.assert(
      fc.property(likeParts, fc.string({ unit: fc.constantFrom("a", "b", "😀", "\n", "%"), maxLength: 8 }), (pattern, subject) => {
        expect(compileLike(pattern, false)(subject)).toBe(likeNaively(pattern, subject));
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  test("like stays linear on patterns that make backtracking matchers explode", () => {
    const many: LikePart = { any: "many" };
    const match = compileLike(Array.from({ length: 200 }, (_, index): LikePart => (index % 2 === 0 ? "a" : many)).concat("b"), false);
    const started = process.cpuUsage();
    expect(match("a".repeat(100_000))).toBe(false);
    expect(cpuMsSince(started)).toBeLessThan(1_000);
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
