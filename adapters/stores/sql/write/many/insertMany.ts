import type { InsertManyOptions, NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import { transact } from "../../engine/session.js";
import type { Entry } from "../entry.js";
import { changesOtherKeys, insertEach, isHeld, type Merge, mergeOf, mergeRow } from "../mergeRow.js";
import type { TenantRows } from "../tenantRows.js";
import { insertAtOnce, insertChunks } from "./insertChunks.js";
import { insertGroups } from "./insertGroups.js";
import { mergeChunks } from "./mergeChunks.js";

/** Inserts rows in order in one transaction. A later row may conflict with an earlier one. */
export async function insertMany(
  target: TenantRows,
  rows: readonly NewRow[],
  { onConflict = "error", operationIds, returning = "row" }: InsertManyOptions,
): Promise<Outcome<Row>[]> {
  const { session, table } = target;
  if (rows.length === 0) return [];
  const entries = rows.map((row, position): Entry => ({ position, row, operationId: operationIds?.[position] }));
  const merge = typeof onConflict === "string" ? undefined : mergeOf(table, onConflict);
  const isRecords = table.dialect.rows.form === "records";
  const atOnce = isRecords && merge === undefined ? await insertAtOnce(target, entries, returning) : undefined;
  if (atOnce !== undefined) return atOnce;
  return transact(session, (inner) =>
    isRecords
      ? inChunks({ ...target, session: inner }, entries, merge, returning)
      : insertGroups({ ...target, session: inner }, entries, merge, returning),
  );
}

async function inChunks(
  target: TenantRows,
  entries: readonly Entry[],
  merge: Merge | undefined,
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const { table } = target;
  if (merge !== undefined && changesOtherKeys(table, merge)) return insertEach(target, entries, merge);
  const outcomes = await insertChunks(target, entries, returning);
  if (merge === undefined) return outcomes;
  const held = entries.filter(({ position }) => isHeld(outcomes[position], merge));
  const merged = await mergeChunks(target, held, merge.rule, merge.key);
  for (const { position, row } of held) {
    const outcome = outcomes[position];
    if (outcome !== undefined) outcomes[position] = merged.get(position) ?? (await mergeRow(target, row, merge, outcome));
  }
  return outcomes;
}
