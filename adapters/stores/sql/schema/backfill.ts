import { yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import type { Row } from "../../../../src/ground/storage/collection.js";
import { isUniqueViolation } from "../engine/errors.js";
import type { SqlRow } from "../engine/executor.js";
import { run, type Session, transact } from "../engine/session.js";
import { columnList } from "../query/select.js";
import { matchColumns, type RecordsetColumn, writeMatches, writeRecordset } from "../write/recordset.js";
import type { OwnColumn, OwnTable } from "./table.js";

/** Rows of one transaction: SQLite writes them without a pause. */
const batchRows = 200;
/** Rows that others write meanwhile are read again so often. They are shown with their values in any case. */
const maxPasses = 10;

/**
 * Stores the values that rows were stored without. Each row is decided by compare-and-set, so that a write of a client wins, and several processes may do it at once.
 * Versions stay: a row is shown with the same values before and after.
 *
 * @throws {Error} naming the row for which a function failed, or the key that two values would share
 */
export async function backfill(session: Session, table: OwnTable): Promise<void> {
  const filled = [...table.columns.values()].filter((column) => column.backfill !== undefined);
  for (const column of filled) {
    for (let pass = 1; pass <= maxPasses; pass++) if (!(await fillOnce(session, table, column, filled))) break;
  }
}

/** A row that lacks a value, with the columns of its place. */
interface Found {
  readonly tenant: string;
  readonly id: unknown;
  readonly row: Row;
}

/** @returns whether another writer changed one of the rows */
async function fillOnce(session: Session, table: OwnTable, column: OwnColumn, filled: readonly OwnColumn[]): Promise<boolean> {
  let wasChanged = false;
  for (let last: Found | undefined; ; ) {
    const found = await findMissing(session, table, column, last);
    if (found.length > 0) wasChanged = (await store(session, table, filled, found)) < found.length || wasChanged;
    last = found.at(-1);
    if (found.length < batchRows) return wasChanged;
    await yieldToEventLoop();
  }
}

async function findMissing(session: Session, table: OwnTable, column: OwnColumn, last: Found | undefined): Promise<Found[]> {
  const { dialect, id, quoted, bigints } = table;
  const order = `"_tenant", ${id.quoted}`;
  const after = last === undefined ? "" : ` and (${order}) > (${dialect.placeholder(1)}, ${dialect.placeholder(2)})`;
  const text = `select "_tenant", ${columnList(table)} from ${quoted} where ${column.stored} is null${after} order by ${order} limit ${batchRows}`;
  const { rows } = await run(session, { text, values: last === undefined ? [] : [last.tenant, last.id], writes: false, returns: "many", bigints });
  return rows.map((stored) => foundIn(table, stored));
}

function foundIn(table: OwnTable, stored: SqlRow): Found {
  const id = stored[table.id.name];
  try {
    return { tenant: String(stored["_tenant"]), id, row: table.decodeRow(stored) };
  } catch (error) {
    throw new Error(`The "backfill" of "${table.model.name}" failed for the row ${String(id)}.`, { cause: error });
  }
}

/** @returns how many of the rows have their values now */
async function store(session: Session, table: OwnTable, filled: readonly OwnColumn[], found: readonly Found[]): Promise<number> {
  try {
    return await transact(
      session,
      (inner) => (table.dialect.rows.form === "records" ? storeTogether : storeEach)(inner, table, assignedColumns(table, filled, found), found),
      { waitsForLocks: true },
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Error(`The "backfill" of "${table.model.name}" gives two rows the same value of a unique key.`, { cause: error });
  }
}

type Assigned = RecordsetColumn & { readonly quoted: string; readonly encode: (value: unknown) => unknown };

function assignedColumns(table: OwnTable, filled: readonly OwnColumn[], found: readonly Found[]): Assigned[] {
  const names = new Set(filled.map(({ name }) => name));
  const shadows = table.shadows.filter(({ path: [name] }) => names.has(name));
  return [
    ...filled.map(({ name, stored, kind, encode }) => ({ quoted: stored, kind, encode, values: found.map(({ row }) => row[name]) })),
    ...shadows.map(({ quoted, derive }) => ({
      quoted,
      kind: "text" as const,
      encode: (value: unknown) => value,
      values: found.map(({ row }) => derive(row)),
    })),
  ];
}

async function storeEach(session: Session, table: OwnTable, assigned: readonly Assigned[], found: readonly Found[]): Promise<number> {
  const { dialect, id, quoted } = table;
  const equals = [...assigned.map((column) => column.quoted), `"_tenant"`, id.quoted, `"_version"`].map(
    (column, index) => `${column} = ${dialect.placeholder(index + 1)}`,
  );
  const [assignments, conditions] = [equals.slice(0, assigned.length), equals.slice(assigned.length)];
  const text = `update ${quoted} set ${assignments.join(", ")} where ${conditions.join(" and ")}`;
  let stored = 0;
  for (const [index, { tenant, id, row }] of found.entries()) {
    const values = [...assigned.map((column) => column.encode(column.values[index])), tenant, id, row._version];
    stored += (await run(session, { text, values, writes: true, returns: "none" })).affected;
  }
  return stored;
}

async function storeTogether(session: Session, table: OwnTable, assigned: readonly Assigned[], found: readonly Found[]): Promise<number> {
  const kinds = ["text", table.id.kind, "text"] as const;
  const matched = matchColumns(
    kinds,
    found.map(({ tenant, id, row }) => [tenant, id, row._version]),
  );
  const encoded = assigned.map(({ kind, encode, values }) => ({ kind, values: kind === "json" ? values : values.map(encode) }));
  const { source, json } = writeRecordset(table.dialect, [...matched, ...encoded], "$1");
  const assignments = assigned.map(({ quoted }, index) => `${quoted} = given.c${matched.length + index}`);
  const text =
    `update ${table.quoted} as held set ${assignments.join(", ")} from ${source} ` +
    `where ${writeMatches(table.dialect, [`"_tenant"`, table.id.quoted, `"_version"`], kinds)}`;
  return (await run(session, { text, values: [json], writes: true, returns: "none" })).affected;
}
