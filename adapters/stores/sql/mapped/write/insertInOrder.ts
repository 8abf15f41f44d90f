import type { InsertManyOptions, NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import { run, type Session } from "../../engine/session.js";
import { selectRows } from "../../query/select.js";
import { decodeColumns } from "../../schema/decodeColumns.js";
import { idOf } from "../../schema/table.js";
import { sameFields } from "../../schema/tableKey.js";
import { readField } from "../../schema/values.js";
import type { TableWrites } from "../../write/tableWrites.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { insertChunk, maxChunkRows, type NewEntry } from "./insertChunk.js";

/** The rows of one tenant in a table of the developer, in an open transaction. */
interface MappedRows {
  readonly session: Session;
  readonly table: MappedSqlTable;
  readonly tenant: string;
  readonly writes: TableWrites;
}

type Merge = Exclude<NonNullable<InsertManyOptions["onConflict"]>, string>;

/**
 * Inserts rows in order, so that a later row may conflict with an earlier one, and the database refuses each by itself. Rows go in chunks: one that the database refuses
 * is tried again with half of its rows, down to the row at fault, and chunks grow again after it. So each row is sent a few times at most.
 */
export async function insertInOrder(
  target: MappedRows,
  rows: readonly NewRow[],
  { onConflict = "error", operationIds }: InsertManyOptions,
): Promise<Outcome<Row>[]> {
  const { session, table, tenant } = target;
  const entries = rows.map((row, position): NewEntry => ({ row, operationId: operationIds?.[position] }));
  const merge = typeof onConflict === "string" ? undefined : onConflict;
  const maxRows = table.dialect.hasRoundTrips ? maxChunkRows(table) : 1;
  const outcomes: Outcome<Row>[] = [];
  for (let size = maxRows; outcomes.length < rows.length; ) {
    const chunk = entries.slice(outcomes.length, outcomes.length + size);
    const written = chunk.length > 1 ? await insertChunk(session, table, chunk, tenant) : await insertAlone(target, chunk, merge);
    if (written !== undefined) outcomes.push(...written);
    const isRefused = written === undefined || written.some(({ ok }) => !ok);
    size = isRefused ? Math.max(1, chunk.length >> 1) : Math.min(maxRows, size * 2);
  }
  return outcomes;
}

async function insertAlone(target: MappedRows, entries: readonly NewEntry[], merge: Merge | undefined): Promise<Outcome<Row>[]> {
  const { session, tenant, writes } = target;
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of entries) {
    const outcome = await writes.insert(session, row, tenant, { operationId });
    const isHeld = merge !== undefined && !outcome.ok && outcome.why === "conflict" && sameFields(outcome.fields, merge.key);
    outcomes.push(isHeld ? await mergeByKey(target, row, merge, outcome) : outcome);
  }
  return outcomes;
}

/** Changes the row that has the key of another. */
async function mergeByKey(
  { session, table, tenant, writes }: MappedRows,
  row: NewRow,
  { merge, key }: Merge,
  conflict: Outcome<Row>,
): Promise<Outcome<Row>> {
  const filter: Filter = { op: "and", args: key.map((field) => sameValue(table, key, field, row)) };
  const query = { filter, sort: [], fields: [], limit: 1, lock: "update" } as const;
  const { statement, columns } = selectRows(table, query, tenant);
  const [held] = (await run(session, statement)).rows;
  if (held === undefined) return conflict;
  const id = idOf(table, decodeColumns(columns, held));
  const merged = Object.fromEntries(merge.map((field) => [field, readField(row, field)]));
  const outcome = await writes.update(session, id, { ...merged, _version: row._version, _updatedAt: row._updatedAt }, tenant, {});
  return outcome.ok ? { ...outcome, created: false } : outcome;
}

/** The condition "the field has the value of the row, as the key compares it". */
function sameValue({ model }: MappedSqlTable, key: readonly string[], field: string, row: NewRow): Filter {
  const value = readField(row, field) as Scalar;
  const isFolded = typeof value === "string" && model.unique.some(({ fields, fold }) => fold === true && sameFields(fields, key));
  return isFolded ? { op: "like", path: [field], parts: [value], fold: true } : { op: "eq", path: [field], value };
}
