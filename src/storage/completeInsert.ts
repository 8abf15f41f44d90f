import type { Call, Collection, ConflictRule, InsertManyOptions, NewRow, Row, RowPatch } from "./collection.js";
import type { Filter } from "./filter.js";
import type { Outcome } from "./outcome.js";
import type { Id, Scalar } from "./scalar.js";

type MergeRule = Exclude<ConflictRule, string>;

/**
 * `insertMany` over a store that only inserts single rows: in order, so that a row may conflict with an earlier one of the batch.
 *
 * @internal
 */
export async function insertOneByOne(
  collection: Collection,
  idField: string,
  rows: readonly NewRow[],
  { onConflict = "error", operationIds, returning: _wholeRowsAnyway, ...call }: Call & InsertManyOptions,
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const [position, row] of rows.entries()) {
    const outcome = await collection.insert(row, { ...call, operationId: operationIds?.[position] });
    const merges = !outcome.ok && outcome.why === "conflict" && typeof onConflict !== "string" && sameFields(outcome.fields, onConflict.key);
    outcomes.push(merges ? ((await mergeRow(collection, idField, row, onConflict, call)) ?? outcome) : outcome);
  }
  return outcomes;
}

function sameFields(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((field) => right.includes(field));
}

/** Sets the merged fields of the row that has the same key; `undefined` if it was removed in between. */
async function mergeRow(collection: Collection, idField: string, row: NewRow, rule: MergeRule, call: Call): Promise<Outcome<Row> | undefined> {
  const args = rule.key.map((field) => similar(field, row[field] as Scalar));
  const rows = await collection.find({ filter: { op: "and", args }, sort: [], limit: Number.MAX_SAFE_INTEGER }, call);
  const held = rows.find((candidate) => rule.key.every((field) => sameText(candidate[field], row[field]))) ?? rows[0];
  if (held === undefined) return undefined;
  const merged = Object.fromEntries(rule.merge.map((field) => [field, row[field]]));
  const patch: RowPatch = { ...merged, _version: row._version, _updatedAt: row._updatedAt };
  const outcome = await collection.update(held[idField] as Id, patch, call);
  return outcome.ok ? { ...outcome, created: false } : outcome;
}

/** The key is taken, but only the store knows whether it ignores case: all rows that differ at most by case are candidates. */
function similar(field: string, value: Scalar): Filter {
  if (typeof value !== "string") return { op: "eq", path: [field], value };
  return { op: "like", path: [field], parts: [value], fold: true };
}

function sameText(left: unknown, right: unknown): boolean {
  if (typeof left === "string" && typeof right === "string") return left.normalize("NFC") === right.normalize("NFC");
  return true;
}
