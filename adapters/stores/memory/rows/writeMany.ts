import type { ConflictRule, InsertManyOptions, NewRow, Row, RowPatch } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Evaluation } from "../../../../src/ground/storage/matches/compileFilter.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { OverlayPartition } from "./overlay.js";
import type { Partition } from "./partition.js";
import { matchingRows } from "./select.js";
import type { Table } from "./table.js";
import { insertRow, updateRow } from "./write.js";

/**
 * Updates all rows that match the filter, or none.
 *
 * @throws {Error} if the patch gives two rows the same unique key
 */
export function changeMatching(table: Table, partition: Partition, filter: Filter | undefined, patch: RowPatch, evaluation: Evaluation): number {
  const ids = matchingIds(table, partition, filter, evaluation);
  const overlay = new OverlayPartition(partition);
  for (const id of ids) {
    const outcome = updateRow(overlay, id, patch, {});
    if (outcome.ok || outcome.why !== "conflict") continue;
    const fields = outcome.fields.join(", ");
    throw new Error(`Cannot set ${fields} to one value in many rows of "${table.model.name}": ${fields} is a unique key.`);
  }
  overlay.applyTo(partition);
  return ids.length;
}

/** Removes all rows that match the filter. */
export function removeMatching(table: Table, partition: Partition, filter: Filter | undefined, evaluation: Evaluation): number {
  const ids = matchingIds(table, partition, filter, evaluation);
  for (const id of ids) partition.delete(id);
  return ids.length;
}

function matchingIds(table: Table, partition: Partition, filter: Filter | undefined, evaluation: Evaluation): Id[] {
  return matchingRows(partition, filter, evaluation).map((row) => row[table.model.id] as Id);
}

/** Inserts rows one after the other. A later row of the batch may conflict with an earlier one. */
export function insertRows(table: Table, partition: Partition, rows: readonly NewRow[], options: InsertManyOptions): Outcome<Row>[] {
  const { onConflict = "error", operationIds } = options;
  return rows.map((row, position) => {
    const outcome = insertRow(table, partition, row, operationIds?.[position]);
    if (outcome.ok || typeof onConflict === "string") return outcome;
    return mergeRow(partition, row, onConflict) ?? outcome;
  });
}

/** Updates the row that has the same key; `undefined` if the conflict is on another key. */
function mergeRow(partition: Partition, row: NewRow, { merge, key }: Exclude<ConflictRule, string>): Outcome<Row> | undefined {
  const patch: RowPatch = {
    ...Object.fromEntries(merge.map((field) => [field, row[field]])),
    _version: row._version,
    _updatedAt: row._updatedAt,
  };
  const held = holderOf(partition, row, key);
  if (held === undefined) return undefined;
  const outcome = updateRow(partition, held, patch, {});
  return outcome.ok ? { ...outcome, created: false } : outcome;
}

function holderOf(partition: Partition, row: NewRow, key: readonly string[]): Id | undefined {
  const index = partition.unique.find(({ fields }) => fields.length === key.length && fields.every((field) => key.includes(field)));
  if (index !== undefined) {
    const value = index.keyOf(row);
    return value === undefined ? undefined : index.holder(value);
  }
  const filter: Filter = { op: "and", args: key.map((field) => ({ op: "eq", path: [field], value: row[field] as Scalar })) };
  const [held] = matchingRows(partition, filter, {}, 1);
  return held?.[partition.idField] as Id | undefined;
}
