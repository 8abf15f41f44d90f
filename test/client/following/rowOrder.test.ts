import fc from "fast-check";
import { expect, test } from "vitest";
import { rowOrder } from "../../../src/client/calls/rowOrder.js";

type Values = readonly unknown[];

/** The values of a field in the order of a sort, from rows whose ids are their places. */
function sorted(values: Values, sort: string, listed: Values = []): Values {
  const rowsOf = (some: Values) => some.map((value, id) => ({ id, value }));
  return rowsOf(values)
    .toSorted(rowOrder(sort, ["id"], rowsOf(listed)))
    .map(({ value }) => value);
}

test.each<[string, Values]>([
  ["null and absent values are the lowest", [undefined, null, -1, 0]],
  ["numbers", [-5, -0.5, 0, 3, 20]],
  ["booleans", [null, false, true]],
  ["text by code point, and not by unit", ["A", "B", "Z", "a", "ab", "é", "\uFFFD", "😀"]],
  ["dates as text", ["2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z"]],
  ["decimals as numbers", ["-12.5", "-9", "0.50", "9.50", "12.00"]],
  ["integers that a double cannot tell apart", ["-9007199254740993", "-9007199254740992", "9007199254740992", "9007199254740993"]],
  ["text that begins with digits", ["10", "9", "9a"].toSorted()],
])("The order of values: %s", (_, values) => {
  const listed = values.includes("9a") ? values : [];
  expect(sorted(values.toReversed(), "value", listed).map((each) => each ?? null)).toEqual(values.map((each) => each ?? null));
  expect(sorted(values, "-value", listed.toReversed()).map((each) => each ?? null)).toEqual(values.toReversed().map((each) => each ?? null));
});

test("Text with digits is in the order in which the service lists it", () => {
  expect(sorted(["9", "10", "8"], "value", ["10", "9"])).toEqual(["10", "8", "9"]);
  expect(sorted(["9", "10", "8"], "value", ["9", "10"])).toEqual(["8", "9", "10"]);
  expect(sorted(["9", "10", "8"], "value")).toEqual(["8", "9", "10"]);
});

test("Ties are in the order of the id, in the direction of the last key", () => {
  const rows = ["1", "2", "10", "9"].map((id) => ({ id, at: { day: 1 }, line: 3 }));
  const ids = (sort: string | string[] | undefined) => rows.toSorted(rowOrder(sort, ["id"], [])).map(({ id }) => id);
  expect(ids(undefined)).toEqual(["1", "2", "9", "10"]);
  expect(ids("at.day")).toEqual(["1", "2", "9", "10"]);
  expect(ids(["at.day", "-line"])).toEqual(["10", "9", "2", "1"]);
  expect(ids("-id")).toEqual(["10", "9", "2", "1"]);
  const lines = [
    { order: 2, line: 1 },
    { order: 1, line: 2 },
    { order: 1, line: 1 },
  ];
  expect(lines.toSorted(rowOrder([], ["order", "line"], []))).toEqual(lines.toReversed());
});

test("A key that the rows do not show is an error if it decides their order", () => {
  expect(() => rowOrder("at", ["id"], [{ id: 2 }, { id: 1 }])).toThrow('The rows do not show "at", which "sort" names: add it to "fields".');
  expect(() => rowOrder("at", ["id"], [{ id: 1 }, { id: 2 }])).not.toThrow();
});

test("Rows in the order of the service stay in it", () => {
  const scalar = fc.oneof(fc.integer(), fc.constant(null), fc.boolean());
  fc.assert(
    fc.property(fc.array(scalar), fc.constantFrom("value", "-value"), (values, sort) => {
      const once = sorted(values, sort);
      expect(sorted(once, sort).map((each) => Number(each))).toEqual(once.map((each) => Number(each)));
    }),
  );
});
