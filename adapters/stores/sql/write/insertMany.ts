import type { InsertManyOptions, NewRow, Row } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import { type Session, transact } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";
import type { Entry } from "./entry.js";
import { insertChunks } from "./insertChunks.js";
import { insertGroups } from "./insertGroups.js";
import { mergeChunks } from "./mergeChunks.js";
import { changesOtherKeys, insertEach, isHeld, type Merge, mergeOf, mergeRow } from "./mergeRow.js";

/** Inserts rows in order in one transaction. A later row may conflict with an earlier one. */
export async function insertMany(
  session: Session,
  table: OwnTable,
  rows: readonly NewRow[],
  tenant: string,
  { onConflict = "error", operationIds, returning = "row" }: InsertManyOptions,
): Promise<Outcome<Row>[]> {
  if (rows.length === 0) return [];
  const entries = rows.map((row, position): Entry => ({ position, row, operationId: operationIds?.[position] }));
  const merge = typeof onConflict === "string" ? undefined : mergeOf(table, onConflict);
  return transact(session, (inner) =>
    table.dialect.rows.form === "records"
      ? inChunks(inner, table, entries, tenant, merge, returning)
      : insertGroups(inner, table, entries, tenant, merge, returning),
  );
}

async function inChunks(
  session: Session,
  table: OwnTable,
  entries: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  if (merge !== undefined && changesOtherKeys(table, merge)) return insertEach(session, table, entries, tenant, merge);
  const outcomes = await insertChunks(session, table, entries, tenant, returning);
  if (merge === undefined) return outcomes;
  const held = entries.filter(({ position }) => isHeld(outcomes[position], merge));
  const merged = await mergeChunks(session, table, held, tenant, merge.rule, merge.key);
  for (const { position, row } of held) {
    const outcome = outcomes[position];
    if (outcome !== undefined) outcomes[position] = merged.get(position) ?? (await mergeRow(session, table, row, tenant, merge, outcome));
  }
  return outcomes;
}
