import type { Call, Collection, InsertManyOptions, NewRow, Row } from "../../storage/collection.js";
import type { Outcome } from "../../storage/outcome.js";
import type { Id } from "../../storage/scalar.js";
import { refused } from "../references/referencedRows.js";
import type { LatestRows } from "../writeSlice.js";
import { allowsAll, type Guard, missingReferences, scopeOf, scopeOfCreate, stamped } from "./guard.js";
import { outOfScope } from "./outOfScope.js";
import { outside } from "./outside.js";

/** Inserts many rows for a principal: the rows that its scopes allow, with their stamps. @throws {ProblemError} OUT_OF_SCOPE for a row that is outside once it is stored */
export async function insertGuarded(
  inner: Required<Collection>,
  guard: Guard,
  given: readonly NewRow[],
  call: Call & InsertManyOptions,
): Promise<Outcome<Row>[]> {
  if (allowsAll(guard, "create")) return inner.insertMany(given, call);
  const rows = given.map((row) => stamped(guard, row, "create"));
  const missing = await missingReferences(guard, rows, call);
  const { scope, isJudgedLater } = scopeOfCreate(guard);
  const known = rows.filter((row) => !missing.has(row));
  const inside = isJudgedLater ? new Set(known) : await scope.includedOf(known, guard, call);
  const ready = rows.filter((row) => inside.has(row));
  const operationIds = call.operationIds?.filter((_, index) => inside.has(rows[index] as Row));
  const returning = isJudgedLater ? "row" : call.returning;
  const inserted = ready.length === 0 ? [] : await inner.insertMany(ready, { ...call, returning, operationIds });
  const stored = inserted.flatMap((outcome) => (outcome.ok ? [outcome.row] : []));
  if (isJudgedLater && (await scope.includedOf(stored, guard, call)).size < stored.length) throw outOfScope();
  const readable =
    returning === undefined || returning === "row" ? await scopeOf(guard, "read", "before").includedOf(stored, guard, call) : undefined;
  let next = 0;
  return rows.map((row) => {
    const unknown = missing.get(row);
    if (unknown !== undefined) return refused(unknown);
    if (!inside.has(row)) return outside;
    const outcome = inserted[next++];
    if (outcome === undefined) throw new Error(`${ready.length} rows were inserted with ${inserted.length} results.`);
    return outcome.ok && readable?.has(outcome.row) === false ? { ...outcome, isHidden: true } : outcome;
  });
}

/** Judges the updated rows of a slice as its hooks leave them. @throws {ProblemError} OUT_OF_SCOPE */
export async function judgeSlice(guard: Guard, updated: ReadonlyMap<Id, Call>, latest: LatestRows): Promise<LatestRows> {
  const rows = [...latest].flatMap(([id, { row }]) => (updated.has(id) ? [row] : []));
  const call = [...updated.values()][0] ?? {};
  const { model, updateAs = "update" } = guard;
  if ((await scopeOf(guard, updateAs, "after").includedOf(rows, guard, call)).size < rows.length) throw outOfScope();
  const readable = await scopeOf(guard, "read", "before").includedOf(rows, guard, call);
  return new Map(rows.map((row) => [row[model.id] as Id, { row, isHidden: !readable.has(row) }]));
}
