// @slow

import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { directionOf, type Range, rangeOf } from "../../../../adapters/stores/memory/rows/range.js";
import { SortedBlocks } from "../../../../adapters/stores/memory/rows/sortedBlocks.js";
import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { compareValues } from "../../../../src/ground/storage/matches/compareValues.js";
import { comparisonsOf } from "../../../../src/ground/storage/matches/comparisons.js";
import { compilePath } from "../../../../src/ground/storage/matches/path.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { filters, sorts, thingModel, things } from "../rows/arbitraryFilter.js";
import { matchNaively } from "../rows/naiveFilter.js";

const rows = fc
  .array(things, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().map((row, index): Row => ({ ...row, id: `r${String(index).padStart(2, "0")}` })));

const compareAt = comparisonsOf(thingModel);

const limits = { offset: fc.nat(12), limit: fc.integer({ min: 1, max: 5 }) };

describe("a store with indexes", () => {
  test("finds and counts what a store without indexes does, also after writes and in transactions", async () => {
    const query = fc.record({ filter: fc.option(filters, { nil: undefined }), sort: sorts, ...limits });
    const property = fc.asyncProperty(rows, rows, fc.array(query, { maxLength: 4 }), async (before, after, queries) => {
      const stores = [thingModel.indexes, []].map((indexes) => ({ storage: memoryStorage(), model: { ...thingModel, indexes } }));
      const answers = await Promise.all(
        stores.map(async ({ storage, model }) => {
          const found: unknown[] = [];
          const ask = async (collection: ReturnType<typeof storage.collection>) => {
            for (const each of queries) {
              const page = await collection.find(each, {});
              found.push(
                page.map((row) => row["id"]),
                await collection.count?.(each.filter, {}),
                await collection.count?.(each.filter, { max: 2 }),
              );
            }
          };
          const write = async (collection: ReturnType<typeof storage.collection>) => {
            for (const [index, { id, ...patch }] of after.entries()) {
              if (index % 3 === 0) await collection.remove(id as string, {});
              else await collection.update(id as string, patch, { replace: index % 2 === 0 });
            }
          };
          const collection = storage.collection(model);
          for (const row of before) await collection.insert(row, {});
          await ask(collection);
          await storage.transaction?.(async (tx) => {
            await write(tx.collection(model));
            await ask(tx.collection(model));
          });
          await ask(collection);
          return found;
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
    });
    await fc.assert(property, { numRuns: propertyRuns(1_000) });
  });
});

const columns = fc.constantFrom<(readonly Path[])[]>(
  [["id"]],
  [["name"], ["id"]],
  [["quantity"], ["name"], ["id"]],
  [["count"], ["id"]],
  [["spot", "number"], ["name"], ["id"]],
);

/** Whether the values begin within both ends. */
function isWithin({ lower, upper }: Range, values: readonly unknown[]): boolean {
  const orderTo = (bound: readonly Scalar[]) => bound.map((value, at) => compareValues(values[at], value)).find((order) => order !== 0) ?? 0;
  const [low, high] = [orderTo(lower.values), orderTo(upper.values)];
  return (low > 0 || (low === 0 && lower.inclusive)) && (high < 0 || (high === 0 && upper.inclusive));
}

describe("the range of a filter", () => {
  test("contains all rows that match, and if it is exact no others", () => {
    const property = fc.property(rows, filters, columns, (all, filter, of) => {
      const range = rangeOf(filter, of, compareAt);
      for (const row of all) {
        const within = isWithin(
          range,
          of.map((path) => compilePath(path)(row)),
        );
        const matches = matchNaively(filter, row, thingModel.searchable);
        if (matches || range.isExact) expect(within).toBe(matches);
      }
    });
    fc.assert(property, { numRuns: propertyRuns(5_000) });
  });

  const a = ["a"] as const;
  const b = ["b"] as const;
  const above = (name: Path, value: Scalar): Filter => ({ op: "gt", path: name, value });
  const below = (name: Path, value: Scalar): Filter => ({ op: "lt", path: name, value });
  const is = (name: Path, value: Scalar): Filter => ({ op: "eq", path: name, value });
  const all = (...args: Filter[]): Filter => ({ op: "and", args });
  const any = (...args: Filter[]): Filter => ({ op: "or", args });
  const open = { values: [], inclusive: true };

  test.each<[string, Filter | undefined, Range]>([
    ["no filter", undefined, { lower: open, upper: open, fixed: 0, isExact: true }],
    ["another field", is(["c"], 1), { lower: open, upper: open, fixed: 0, isExact: false }],
    ["the first column", is(a, 1), { lower: { values: [1], inclusive: true }, upper: { values: [1], inclusive: true }, fixed: 1, isExact: true }],
    [
      "both columns",
      all(is(b, 2), is(a, 1)),
      { lower: { values: [1, 2], inclusive: true }, upper: { values: [1, 2], inclusive: true }, fixed: 2, isExact: true },
    ],
    [
      "an interval of the second",
      all(is(a, 1), above(b, 2), below(b, 9)),
      { lower: { values: [1, 2], inclusive: false }, upper: { values: [1, 9], inclusive: false }, fixed: 1, isExact: false },
    ],
    [
      "a cursor",
      any(above(a, 1), all(is(a, 1), above(b, 2))),
      { lower: { values: [1, 2], inclusive: false }, upper: open, fixed: 0, isExact: false },
    ],
    [
      "a cursor backwards",
      any(below(a, 1), all(is(a, 1), below(b, 2))),
      { lower: { values: [null], inclusive: false }, upper: { values: [1, 2], inclusive: false }, fixed: 0, isExact: false },
    ],
    [
      "a cursor below a value",
      all(is(a, 1), any(above(a, 5), above(b, 2))),
      { lower: { values: [1, 2], inclusive: false }, upper: { values: [1], inclusive: true }, fixed: 1, isExact: false },
    ],
    [
      "two values",
      all(is(a, 1), is(a, 2)),
      { lower: { values: [2], inclusive: false }, upper: { values: [1], inclusive: false }, fixed: 0, isExact: false },
    ],
    [
      "several values",
      { op: "in", path: a, values: [3, 1, 2] },
      { lower: { values: [1], inclusive: true }, upper: { values: [3], inclusive: true }, fixed: 0, isExact: false },
    ],
  ])("of %s is as narrow as it can be", (_name, filter, expected) => {
    expect(rangeOf(filter, [a, b], compareAt)).toEqual(expected);
  });

  test.each<[SortKey[], Filter | undefined, "asc" | "desc" | undefined]>([
    [[], undefined, "asc"],
    [[{ path: a, dir: "desc" }], undefined, "desc"],
    [
      [
        { path: a, dir: "desc" },
        { path: b, dir: "desc" },
      ],
      undefined,
      "desc",
    ],
    [
      [
        { path: a, dir: "desc" },
        { path: b, dir: "asc" },
      ],
      undefined,
      undefined,
    ],
    [[{ path: b, dir: "asc" }], undefined, undefined],
    [[{ path: b, dir: "desc" }], is(a, 1), "desc"],
    [
      [
        { path: a, dir: "asc" },
        { path: b, dir: "desc" },
        { path: ["c"], dir: "asc" },
      ],
      is(a, 1),
      "desc",
    ],
  ])("the order %j with the filter %j has the direction %s", (sort, filter, expected) => {
    expect(directionOf(sort, [a, b], rangeOf(filter, [a, b], compareAt).fixed)).toBe(expected);
  });
});

test("sorted blocks have what a sorted array has", () => {
  const step = fc.tuple(fc.boolean(), fc.nat(3_000));
  const property = fc.property(
    fc.integer({ min: 0, max: 2_000 }),
    fc.array(step, { maxLength: 200 }),
    fc.nat(3_000),
    fc.nat(3_000),
    (grown, steps, from, to) => {
      const blocks = new SortedBlocks<number>((left, right) => left - right);
      const expected = new Set<number>();
      const add = (value: number) => {
        if (!expected.has(value)) blocks.add(value);
        expected.add(value);
      };
      const remove = (value: number) => {
        blocks.delete(value);
        expected.delete(value);
      };
      for (let value = 0; value < grown; value++) add((value * 7) % 2_003);
      for (const [adds, value] of steps) (adds ? add : remove)(value);
      for (let value = 1; value < from; value += 3) remove(value);
      const sorted = [...expected].sort((left, right) => left - right);
      const wanted = sorted.filter((value) => value >= from && value < to);
      const ends = [(value: number) => value < from, (value: number) => value < to] as const;
      expect(blocks.count(...ends)).toBe(wanted.length);
      for (const skip of [0, 1, grown]) {
        const read = (value: number) => value;
        expect([...blocks.between(...ends, { isReversed: false, skip, read })]).toEqual(wanted.slice(skip));
        expect([...blocks.between(...ends, { isReversed: true, skip, read })]).toEqual(wanted.toReversed().slice(skip));
      }
    },
  );
  fc.assert(property, { numRuns: propertyRuns(200) });
});
