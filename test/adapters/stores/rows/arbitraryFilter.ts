import fc from "fast-check";
import type { GroupQuery, Row } from "../../../../src/ground/storage/collection.js";
import type { Filter, LikePart } from "../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";

/** A collection with a column of every kind. */
export const thingModel: CollectionModel = {
  name: "things",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "name", kind: "text", fold: true },
    { name: "quantity", kind: "number" },
    { name: "count", kind: "int" },
    { name: "serial", kind: "bigint" },
    { name: "active", kind: "boolean" },
    { name: "at", kind: "datetime" },
    { name: "address", kind: "json" },
    { name: "tags", kind: "json" },
    { name: "spot", kind: "json" },
  ],
  unique: [],
  indexes: [
    [["name"]],
    [["quantity"], ["name"]],
    [["count"]],
    [["at"]],
    [["address", "city"]],
    [["tags"]],
    [["spot", "text"]],
    [["spot", "number"], ["name"]],
    [["spot", "deep", "flag"]],
  ],
  searchable: [["name"], ["address", "city"]],
  folded: [["spot", "text"]],
};

const text = fc.string({
  unit: fc.constantFrom("a", "A", "b", "é", "e", "\u0301", "É", "😀", "\uffee", "%", "_", "\\", "*", "?", "[", "]", "'", " "),
  maxLength: 4,
});
const number = fc.oneof(fc.constantFrom(-2.5, -1, 0, 1, 3, 10, 2 ** 53), fc.double({ noNaN: true, noDefaultInfinity: true }));
const integer = fc.constantFrom(-1, 0, 1, 3, Number.MAX_SAFE_INTEGER);
const bigint = fc.constantFrom(-1n, 0n, 1n, 3n, 2n ** 53n + 1n, 2n ** 63n - 1n);
const date = fc.constantFrom(new Date(-1), new Date(0), new Date(1), new Date("9999-12-31T23:59:59.999Z"));
const json = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const outOfRange = fc.constantFrom(2n ** 80n, -(2n ** 80n), 2 ** 80, 0.5);
/** PostgreSQL compares its doubles with doubles: a bigint that is none compares exactly with integers only. */
const smallBigint = fc.constantFrom(-1n, 0n, 1n, 3n);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(text, number, integer, smallBigint, fc.boolean(), date, fc.constant(null), outOfRange);
const oddKeys = fc.record({ 'quo"te': json, "back\\slash": json, "a.b": json }, { requiredKeys: [] });
const address = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ city: json, floor: json, geo: fc.oneof(fc.record({ lat: number }), json), odd: oddKeys }, { requiredKeys: [] }),
  },
  { weight: 1, arbitrary: fc.oneof(fc.array(json, { maxLength: 2 }), json) },
);
/** Each place of it holds one type or nothing, so that rows can be sorted by it. */
const spot = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        text: fc.option(text, { nil: null }),
        number: fc.option(fc.constantFrom(-2.5, -1, 0, 0.1, 3, 3.5, 1e6), { nil: null }),
        deep: fc.oneof(fc.record({ flag: fc.option(fc.boolean(), { nil: null }) }, { requiredKeys: [] }), fc.constantFrom(null, "deep", 1)),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, "spot", [], [{ text: "a" }]) },
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const values = fc.record(
  {
    name: maybe(text),
    quantity: maybe(number),
    count: maybe(integer),
    serial: maybe(bigint),
    active: maybe(fc.boolean()),
    at: maybe(date),
    address: maybe(address),
    tags: fc.oneof(fc.array(json, { maxLength: 3 }), json),
    spot: maybe(spot),
  },
  { requiredKeys: [] },
);

export const things = fc
  .array(values, { minLength: 1, maxLength: 10 })
  .map((all) => all.map((row, index): Row => ({ ...row, id: `r${index}`, _version: `v${index}`, _updatedAt: new Date(0) })));

const path: fc.Arbitrary<Path> = fc.constantFrom<Path[]>(
  ["id"],
  ["name"],
  ["quantity"],
  ["count"],
  ["serial"],
  ["active"],
  ["at"],
  ["tags"],
  ["tags", "0"],
  ["address"],
  ["address", "city"],
  ["address", "floor"],
  ["address", "geo", "lat"],
  ["address", "odd", 'quo"te'],
  ["address", "odd", "back\\slash"],
  ["address", "odd", "a.b"],
  ["address", "toString"],
  ["name", "length"],
  ["spot", "text"],
  ["spot", "number"],
  ["spot", "deep", "flag"],
);

/** Places that rows can be sorted by. */
const sortable: fc.Arbitrary<Path> = fc.constantFrom<Path[]>(
  ["name"],
  ["quantity"],
  ["count"],
  ["serial"],
  ["active"],
  ["at"],
  ["spot", "text"],
  ["spot", "number"],
  ["spot", "deep", "flag"],
);
const direction = fc.constantFrom("asc", "desc");

/** Any order of `thingModel` in which no two rows tie. */
export const sorts: fc.Arbitrary<readonly SortKey[]> = fc
  .tuple(fc.uniqueArray(fc.record({ path: sortable, dir: direction }), { maxLength: 3, selector: ({ path }) => path.join(".") }), direction)
  .map(([keys, dir]) => [...keys, { path: ["id"], dir }]);

/** Groups of `thingModel` by keys that rows may have, and others. */
export const groupQueries: fc.Arbitrary<Pick<GroupQuery, "key" | "keys" | "limit">> = fc.record({
  key: fc.constantFrom("name", "quantity", "count", "serial", "id"),
  keys: fc.array(fc.oneof(text, integer, smallBigint, bigint, fc.constantFrom(-2.5, 0.5, "r0", "r3", 2n ** 70n)), { maxLength: 8 }),
  limit: fc.nat(3),
});
/** Patterns of text and wildcards; those of clients have wildcards for any run of characters only. */
export const likeParts = fc.oneof(
  fc.array(fc.oneof<fc.Arbitrary<LikePart>[]>(text, fc.constantFrom<LikePart[]>({ any: "one" }, { any: "many" })), { maxLength: 5 }),
  fc.array(fc.oneof<fc.Arbitrary<LikePart>[]>(fc.constantFrom("a", "b", "é", "", "😀"), fc.constant<LikePart>({ any: "many" })), { maxLength: 7 }),
);
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ op: fc.constantFrom("eq", "ne", "gt", "gte", "lt", "lte"), path, value: scalar }),
  fc.record({ op: fc.constant("eq"), path: fc.constant<Path>(["id"]), value: fc.constantFrom("r0", "r1", "r9") }),
  fc.record({
    op: fc.constant("in"),
    path,
    values: fc.oneof(fc.array(scalar, { maxLength: 4 }), fc.array(scalar, { minLength: 51, maxLength: 60 })),
  }),
  fc.record({ op: fc.constant("like"), path, parts: likeParts }),
  fc.record({
    op: fc.constant("like"),
    path: fc.constantFrom<Path[]>(["name"], ["address", "city"], ["spot", "text"]),
    parts: likeParts,
    fold: fc.constant(true),
  }),
  fc.record({ op: fc.constantFrom("eq", "ne", "gt", "gte", "lt", "lte"), path: fc.constantFrom<Path[]>(["serial"], ["count"]), value: bigint }),
  fc.record({ op: fc.constant("in"), path: fc.constantFrom<Path[]>(["serial"], ["count"]), values: fc.array(bigint, { maxLength: 60 }) }),
  fc.record({ op: fc.constant("has"), path }),
  fc.record({ op: fc.constant("contains"), path, value: scalar }),
  fc.record({ op: fc.constant("search"), text }),
);

/** Any filter over `thingModel`. */
export const filters = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ op: fc.constantFrom("and", "or"), args: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ op: fc.constant("not"), arg: tie("filter") }),
  ),
})).filter;
