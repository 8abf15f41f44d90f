import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Row } from "../../../src/ground/storage/collection.js";
import type { Filter } from "../../../src/ground/storage/filter.js";
import type { Scalar } from "../../../src/ground/storage/values/scalar.js";
import { cursorFilter, reverse } from "../../../src/language/query/paging/cursor.js";
import { keysetFilter } from "../../../src/language/query/paging/keyset.js";
import { matchNaively } from "../../adapters/stores/rows/naiveFilter.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { and, eq, gt, gte, has, lt, or } from "./ast.js";
import { parse } from "./language.js";

const texts = fc.constantFrom("", "a", "b", "é", "😀", "\uffff");
const dates = fc.constantFrom(new Date(-1), new Date(0), new Date(1));
const values = fc.record({
  email: fc.option(texts),
  quantity: fc.option(fc.constantFrom(-1, 0, 1)),
  total: fc.constantFrom(-0.5, 0, 1.5),
  big: fc.constantFrom(-1n, 0n, 2n ** 60n),
  active: fc.boolean(),
  createdAt: dates,
  ssn: fc.option(texts, { nil: undefined }),
  address: fc.record({ city: texts }),
});
const rows = fc
  .array(values, { maxLength: 25 })
  .map((all) => all.map((row, index): Row => ({ ...row, id: index * 7 - 3, _version: "v", _updatedAt: new Date(0) })));
const sorts = fc
  .uniqueArray(fc.constantFrom("email", "quantity", "total", "big", "active", "createdAt", "address.city", "id"), { maxLength: 4 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))))
  .map((keys) => (keys.length === 0 ? "" : `sort=${keys.join(",")}`));

type Keys = ReturnType<typeof parse>["sort"];

function valueAt(row: Row, path: readonly string[]): Scalar {
  let value: unknown = row;
  for (const step of path) value = (value as Record<string, unknown>)[step];
  return (value ?? null) as Scalar;
}

/** The contract of orders: null is lowest, text goes by code point. */
function compare(left: Scalar, right: Scalar): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === "string" && typeof right === "string") return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left > right) - Number(left < right);
}

function sorted(all: readonly Row[], sort: Keys): Row[] {
  return all.toSorted((left, right) => {
    for (const { path, dir } of sort) {
      const difference = compare(valueAt(left, path), valueAt(right, path));
      if (difference !== 0) return dir === "asc" ? difference : -difference;
    }
    return 0;
  });
}

const beyond = (filter: Filter, all: readonly Row[]) => all.filter((row) => matchNaively(filter, row, []));

describe("the place beside a row", () => {
  test("has the rows on either side that the order has, nulls and ties included", () => {
    fc.assert(
      fc.property(rows, sorts, (all, query) => {
        const { sort } = parse(query);
        const order = sorted(all, sort);
        order.forEach((row, index) => {
          const values = sort.map(({ path }) => valueAt(row, path));
          expect(sorted(beyond(cursorFilter({ direction: "after", values }, sort), all), sort)).toEqual(order.slice(index + 1));
          expect(sorted(beyond(cursorFilter({ direction: "before", values }, sort), all), sort)).toEqual(order.slice(0, index));
        });
      }),
      { numRuns: propertyRuns(200), seed: 1 },
    );
  });

  test("of a row that is gone is where it was", () => {
    fc.assert(
      fc.property(rows, sorts, fc.nat(), (all, query, pick) => {
        const { sort } = parse(query);
        const order = sorted(all, sort);
        const gone = order[pick % Math.max(order.length, 1)];
        if (gone === undefined) return;
        const values = sort.map(({ path }) => valueAt(gone, path));
        const left = all.filter((row) => row !== gone);
        expect(sorted(beyond(cursorFilter({ direction: "after", values }, sort), left), sort)).toEqual(order.slice(order.indexOf(gone) + 1));
      }),
      { numRuns: 100, seed: 2 },
    );
  });

  test("walks the whole list by pages of any size, there and back", () => {
    fc.assert(
      fc.property(rows, sorts, fc.integer({ min: 1, max: 6 }), (all, query, perPage) => {
        const { sort } = parse(query);
        const backwards = sort.map((key) => ({ ...key, dir: reverse(key.dir) }));
        const order = sorted(all, sort);
        const walk = (direction: "after" | "before", keys: Keys) => {
          const met: Row[] = [];
          for (let page = sorted(all, keys).slice(0, perPage); page.length > 0; ) {
            met.push(...page);
            const values = sort.map(({ path }) => valueAt(met.at(-1) ?? ({} as Row), path));
            page = sorted(beyond(cursorFilter({ direction, values }, sort), all), keys).slice(0, perPage);
          }
          return met;
        };
        expect(walk("after", sort)).toEqual(order);
        expect(walk("before", backwards)).toEqual(order.toReversed());
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});

describe("the condition of a place", () => {
  const id = (dir: "asc" | "desc", value: Scalar = 7) => ({ path: ["id"] as const, dir, value, nullable: false });
  const key = (dir: "asc" | "desc", value: Scalar, nullable: boolean) => ({ path: ["k"] as const, dir, value, nullable });

  test.each([
    ["of one key", [id("asc")], gt("id", 7)],
    ["of one key downwards", [id("desc")], lt("id", 7)],
    ["of no key is none", [], or()],
    ["upwards", [key("asc", 5, false), id("asc")], and(gte("k", 5), or(gt("k", 5), and(eq("k", 5), gt("id", 7))))],
    ["downwards", [key("desc", 5, false), id("desc")], and({ op: "lte", path: ["k"], value: 5 }, or(lt("k", 5), and(eq("k", 5), lt("id", 7))))],
    ["upwards from null", [key("asc", null, true), id("asc")], or(has("k"), and(eq("k", null), gt("id", 7)))],
    ["downwards from null", [key("desc", null, true), id("desc")], and(eq("k", null), or(and(eq("k", null), lt("id", 7))))],
    ["below nothing", [key("desc", null, true)], or()],
    [
      "downwards towards null",
      [key("desc", 5, true), id("asc")],
      and(or({ op: "lte", path: ["k"], value: 5 }, eq("k", null)), or(or(lt("k", 5), eq("k", null)), and(eq("k", 5), gt("id", 7)))),
    ],
  ])("%s", (_name, keys, expected) => {
    expect(keysetFilter(keys)).toEqual(expected);
  });
});
