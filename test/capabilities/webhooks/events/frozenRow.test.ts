import { expect, test } from "vitest";
import { frozenRow } from "../../../../src/capabilities/events/frozenRow.js";

test("a frozen row is the same in all its depth, cannot be changed, and leaves the row as it is", () => {
  const at = new Date(5);
  const row = { _version: "v", _updatedAt: at, id: 2n ** 60n, bytes: new Uint8Array([1]), none: null, lines: [{ item: "tea", tags: ["hot"] }] };
  const copy = frozenRow(row);
  expect(copy).toEqual(row);
  expect(copy.bytes).toBeInstanceOf(Uint8Array);
  const lines = copy.lines as unknown as readonly [{ readonly tags: readonly string[] }];
  expect([copy, lines, lines[0], lines[0].tags].every((value) => Object.isFrozen(value))).toBe(true);
  expect([row, row.lines, row.lines[0], row.lines[0]?.tags].some((value) => Object.isFrozen(value))).toBe(false);
});
