import type { InsertManyOptions, NewRow, Row } from "../../../src/storage/collection.js";
import type { Outcome } from "../../../src/storage/outcome.js";
import type { Id, Scalar } from "../../../src/storage/scalar.js";
import type { Session } from "../engine/session.js";
import { run } from "../engine/session.js";
import { selectRows } from "../query/select.js";
import { sameFields } from "../schema/tableKey.js";
import type { TableWrites } from "../write/tableWrites.js";
import type { MappedSqlTable } from "./mappedTable.js";

/** Inserts rows one after the other, so that the database refuses each by itself and the others are written. A later row may conflict with an earlier one. */
export async function insertInOrder(
  session: Session,
  table: MappedSqlTable,
  writes: TableWrites,
  rows: readonly NewRow[],
  tenant: string,
  { onConflict = "error", operationIds }: InsertManyOptions,
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const [position, row] of rows.entries()) {
    const outcome = await writes.insert(session, row, tenant, operationIds?.[position]);
    const isHeld = !outcome.ok && outcome.why === "conflict" && typeof onConflict !== "string" && sameFields(outcome.fields, onConflict.key);
    outcomes.push(isHeld ? await mergeByKey(session, table, writes, row, tenant, onConflict, outcome) : outcome);
  }
  return outcomes;
}

/** Changes the row that has the key of another. */
async function mergeByKey(
  session: Session,
  table: MappedSqlTable,
  writes: TableWrites,
  row: NewRow,
  tenant: string,
  { merge, key }: Exclude<NonNullable<InsertManyOptions["onConflict"]>, string>,
  conflict: Outcome<Row>,
): Promise<Outcome<Row>> {
  const args = key.map((field) => ({ op: "eq" as const, path: [field] as const, value: row[field] as Scalar }));
  const { statement, columns } = selectRows(table, { filter: { op: "and", args }, sort: [], fields: [], limit: 1, lock: "update" }, tenant);
  const [held] = (await run(session, statement)).rows;
  if (held === undefined) return conflict;
  const id = columns.find((column) => column === table.id)?.decode(held[table.id.name]) as Id;
  const merged = Object.fromEntries(merge.map((field) => [field, row[field]]));
  const outcome = await writes.update(session, id, { ...merged, _version: row._version, _updatedAt: row._updatedAt }, tenant, {});
  return outcome.ok ? { ...outcome, created: false } : outcome;
}
