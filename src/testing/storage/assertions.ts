import assert from "node:assert/strict";
import type { Collection, NewRow, Row } from "../../ground/storage/collection.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import type { Items } from "./stage.js";

/** The row of a write; fails if the write did not succeed. */
export function writtenRow(outcome: Outcome<Row> | undefined): Row {
  assert.ok(outcome?.ok === true, `expected the write to succeed, got ${describe(outcome)}`);
  return outcome.row;
}

export function assertConflict(outcome: Outcome<Row> | undefined, fields: readonly string[]): void {
  assert.ok(outcome?.ok === false && outcome.why === "conflict", `expected a conflict, got ${describe(outcome)}`);
  assert.deepStrictEqual([...outcome.fields].sort(), [...fields].sort(), "the fields of the conflict");
}

/** Asserts that a write was stale. `current` is optional, but if present it must be the current row. */
export function assertStale(outcome: Outcome<Row> | undefined, version: string): void {
  assert.ok(outcome?.ok === false && outcome.why === "stale", `expected "stale", got ${describe(outcome)}`);
  if (outcome.current !== undefined) assert.equal(outcome.current._version, version, "the version of the current row");
}

export function assertMissing(outcome: Outcome<Row> | undefined): void {
  assert.ok(outcome?.ok === false && outcome.why === "missing", `expected "missing", got ${describe(outcome)}`);
}

/** Asserts the members of `expected`. Null and absent are equal. */
export function assertValues(row: Row | undefined, expected: Readonly<Record<string, unknown>>): void {
  assert.ok(row !== undefined, "the row is missing");
  for (const [name, value] of Object.entries(expected)) assert.deepStrictEqual(row[name] ?? null, value ?? null, `the value of "${name}"`);
}

/** Asserts that all members of two rows are equal. Null and absent are equal. */
export function assertSameRow(row: Row | undefined, expected: Row): void {
  assertValues(row, expected);
  assertValues(expected, row ?? expected);
}

/** Asserts that a row is as it was written. Null and absent are equal. */
export function assertWritten({ expected }: Pick<Items, "expected">, row: Row | undefined, written: NewRow): void {
  assertValues(row, expected(written));
  assertValues(written, expected(row ?? written));
  assert.ok(typeof row?._version === "string" && row._version !== "", "the row has a version");
}

/** The ids of the rows, in the order of the result. */
export function idsOf(rows: readonly Row[]): unknown[] {
  return rows.map((row) => row["id"]);
}

/** The sorted ids of the rows that match a filter. */
export async function matchingIds(rows: Collection, filter: Filter): Promise<unknown[]> {
  return idsOf(await rows.find({ filter, sort: [], limit: 1_000 }, {})).sort();
}

function describe(outcome: Outcome<Row> | undefined): string {
  if (outcome === undefined) return "no outcome";
  if (outcome.ok) return `ok, created: ${outcome.created}`;
  return outcome.why === "conflict" ? `a conflict of ${outcome.fields.join(", ")}` : `"${outcome.why}"`;
}
