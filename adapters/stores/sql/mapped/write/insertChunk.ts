import type { NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import { run, type Session, transact } from "../../engine/session.js";
import { selectRows } from "../../query/select.js";
import { idOf } from "../../schema/table.js";
import { readField } from "../../schema/values.js";
import { Unreadable } from "../columnType.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { claimOperations, recordRows } from "./operations.js";
import { insertManyStatement, insertStatement, UnfitField } from "./statements.js";

/** A row to insert, and the operation that inserts it at most once. */
export interface NewEntry {
  readonly row: NewRow;
  readonly operationId: string | undefined;
}

/** PostgreSQL binds at most 65,535 values. */
const maxValues = 32_000;

/** How many rows go in one statement. */
export function maxChunkRows({ mapped }: MappedSqlTable): number {
  return Math.max(1, Math.min(128, Math.floor(maxValues / (mapped.length + 3))));
}

/** The chunk cannot be written as one: its rows must be tried in smaller ones. */
class Refused extends Error {}

/**
 * Inserts several rows in one savepoint.
 *
 * @param session an open transaction
 * @returns `undefined` if one of the rows is refused, or the database wrote others than the given ones: then none is written
 */
export async function insertChunk(
  session: Session,
  table: MappedSqlTable,
  entries: readonly NewEntry[],
  tenant: string,
): Promise<Outcome<Row>[] | undefined> {
  if (table.tenant !== undefined && tenant !== "" && !table.tenant.type.accepts(tenant)) return undefined;
  try {
    await table.engine.beforeWrite?.(session, table);
    return await transact(session, async (inner) => {
      const rows = entries.map(({ row }) => row);
      const claimed = await claimAll(inner, table, entries, tenant);
      const written = isKeyed(table, rows) ? await insertByKey(inner, table, rows, tenant) : await insertInTurn(inner, table, rows, tenant);
      await table.engine.afterWrite?.(inner, table, written, "insert");
      if (claimed) await recordRows(inner, table, tenant, entries, written);
      return written.map((row): Outcome<Row> => ({ ok: true, row, created: true }));
    });
  } catch (error) {
    if (error instanceof Refused || error instanceof UnfitField || error instanceof Unreadable) return undefined;
    if ((await table.engine.refusal(session, table, error, { kind: "insert", values: { _version: "" } })) !== undefined) return undefined;
    throw error;
  }
}

/** @returns whether the rows belong to operations @throws {Refused} if one of them has inserted its row before */
async function claimAll(session: Session, table: MappedSqlTable, entries: readonly NewEntry[], tenant: string): Promise<boolean> {
  const ids = entries.flatMap(({ operationId }) => operationId ?? []);
  if (ids.length === 0) return false;
  if (ids.length < entries.length || (await claimOperations(session, table, tenant, ids)) < ids.length) throw new Refused();
  return true;
}

/** Whether each row has an id of its own, by which the rows that the database returns are recognised. */
function isKeyed({ id }: MappedSqlTable, rows: readonly NewRow[]): boolean {
  return (
    new Set(rows.map((row) => readField(row, id.name) ?? undefined)).size === rows.length &&
    rows.every((row) => (readField(row, id.name) ?? undefined) !== undefined)
  );
}

/** @throws {Refused} if the database wrote other rows, as triggers can */
async function insertByKey(session: Session, table: MappedSqlTable, rows: readonly NewRow[], tenant: string): Promise<Row[]> {
  const { rows: stored } = await run(session, insertManyStatement(table, rows, tenant));
  const written = await current(session, table, stored.map(table.decodeRow), tenant);
  const byId = new Map(written.map((row) => [String(idOf(table, row)), row]));
  return rows.map((row) => {
    const same = byId.get(String(idOf(table, row)));
    if (same === undefined) throw new Refused();
    return same;
  });
}

/** The database makes the only key of the rows, so that no other order would tell which is which. */
async function insertInTurn(session: Session, table: MappedSqlTable, rows: readonly NewRow[], tenant: string): Promise<Row[]> {
  const written: Row[] = [];
  for (const row of rows) {
    const [stored] = (await run(session, insertStatement(table, row, tenant))).rows;
    if (stored === undefined) throw new Refused();
    written.push(table.decodeRow(stored));
  }
  return current(session, table, written, tenant);
}

/** The rows as they stand, if AFTER triggers may have changed them. */
async function current(session: Session, table: MappedSqlTable, written: Row[], tenant: string): Promise<Row[]> {
  if (!table.catalog.hasAfterTriggers) return written;
  const filter = { op: "in", path: [table.id.name], values: written.map((row) => idOf(table, row)) } as const;
  const { statement } = selectRows(table, { filter, sort: [], limit: written.length }, tenant);
  const stored = (await run(session, statement)).rows.map(table.decodeRow);
  const byId = new Map(stored.map((row) => [String(idOf(table, row)), row]));
  return written.map((row) => byId.get(String(idOf(table, row))) ?? row);
}
