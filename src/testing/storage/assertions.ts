import assert from "node:assert/strict";
import type { Collection, Row } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";
import type { Outcome } from "../../storage/outcome.js";

/** The row of a write that has to succeed. */
export function writtenRow(outcome: Outcome<Row> | undefined): Row {
  assert.ok(outcome?.ok === true, `expected the write to succeed, got ${describe(outcome)}`);
  return outcome.row;
}

export function assertConflict(outcome: Outcome<Row> | undefined, fields: readonly string[]): void {
  assert.ok(outcome?.ok === false && outcome.why === "conflict", `expected a conflict, got ${describe(outcome)}`);
  assert.deepStrictEqual([...outcome.fields].sort(), [...fields].sort(), "the fields of the conflict");
}

/** `current` is optional, but where it is given it is the row as it stands. */
export function assertStale(outcome: Outcome<Row> | undefined, version: string): void {
  assert.ok(outcome?.ok === false && outcome.why === "stale", `expected "stale", got ${describe(outcome)}`);
  if (outcome.current !== undefined) assert.equal(outcome.current._version, version, "the version of the current row");
}

export function assertMissing(outcome: Outcome<Row> | undefined): void {
  assert.ok(outcome?.ok === false && outcome.why === "missing", `expected "missing", got ${describe(outcome)}`);
}

/** The members named in `expected`; null and absent are the same. */
export function assertValues(row: Row | undefined, expected: Readonly<Record<string, unknown>>): void {
  assert.ok(row !== undefined, "the row is missing");
  for (const [name, value] of Object.entries(expected)) assert.deepStrictEqual(row[name] ?? null, value ?? null, `the value of "${name}"`);
}

/** All members of both rows; null and absent are the same. */
export function assertSameRow(row: Row | undefined, expected: Row): void {
  assertValues(row, expected);
  assertValues(expected, row ?? expected);
}

/** The rows' ids, in the order in which they came. */
export function idsOf(rows: readonly Row[]): unknown[] {
  return rows.map((row) => row["id"]);
}

/** Ids of the rows that a filter means, sorted. */
export async function matchingIds(rows: Collection, filter: Filter): Promise<unknown[]> {
  return idsOf(await rows.find({ filter, sort: [], limit: 1_000 }, {})).sort();
}

function describe(outcome: Outcome<Row> | undefined): string {
  if (outcome === undefined) return "no outcome";
  if (outcome.ok) return `ok, created: ${outcome.created}`;
  return outcome.why === "conflict" ? `a conflict of ${outcome.fields.join(", ")}` : `"${outcome.why}"`;
}
