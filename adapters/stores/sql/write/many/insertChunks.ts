import type { InsertManyOptions, NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { isUniqueViolation } from "../../engine/errors.js";
import { run, type Session, transact } from "../../engine/session.js";
import type { OwnTable } from "../../schema/table.js";
import { readField } from "../../schema/values.js";
import { type Entry, haveOwnVersions, inserted } from "../entry.js";
import { isNumbered } from "../insert.js";
import { insertRecords } from "../insertRecords.js";
import { advanceNumbering, drawNumbers } from "../numbering.js";
import { conflictsChanged } from "../singleRow.js";
import type { TenantRows } from "../tenantRows.js";
import { findChunkConflicts } from "./chunkConflicts.js";

const chunkRows = 1_000;
const attempts = 3;

/** Inserts rows with one statement per chunk, for engines that receive rows as records. Each outcome has the position of its row in the batch. */
export async function insertChunks(
  target: TenantRows,
  entries: readonly Entry[],
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const { session, table } = target;
  const outcomes: Outcome<Row>[] = [];
  for (const chunk of chunksOf(table, await numberEntries(session, table, entries))) {
    if (returning === "none" && (await insertAllOrNone(target, chunk))) {
      for (const { position, row } of chunk) outcomes[position] = { ok: true, row, created: true };
      continue;
    }
    for (const [position, outcome] of await insertChunk(target, chunk)) outcomes[position] = outcome;
  }
  return outcomes;
}

/**
 * Inserts rows with one statement and no transaction around it, which would cost two round trips more: all of them, or none.
 *
 * @returns `undefined` if that cannot be, because a row conflicts, the rows need several statements or a transaction is open
 */
export async function insertAtOnce(
  { session, table, tenant }: TenantRows,
  entries: readonly Entry[],
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[] | undefined> {
  const numbers = numbersSome(table, entries);
  // A given id may move the sequence, which is a statement of its own.
  const isOneStatement = table.model.idFrom !== "store" || entries.every(({ row }) => isNumbered(table, row));
  if (session.inTransaction || entries.length > chunkRows || !isOneStatement || (numbers && !haveOwnVersions(entries))) return undefined;
  const returns = numbers && returning !== "none" ? "many" : "none";
  try {
    const { rows } = await run(session, insertRecords(table, entries, tenant, { returns, numbers, conflicts: "fail" }));
    const ids = new Map(rows.map((stored) => [stored["_version"], table.id.decode(stored[table.id.name]) as Id]));
    return entries.map(({ row }) => inserted(table, row, ids.get(row._version)));
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/**
 * Assigns ids before the insert if versions do not identify the returned rows. Each write should have a new version, but a caller may break that rule.
 */
async function numberEntries(session: Session, table: OwnTable, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const numbered = new Set(entries.filter(({ row }) => isNumbered(table, row)));
  const given = entries.filter((entry) => !numbered.has(entry)).map(({ row }) => readField(row, table.id.name) as Id);
  const highest = maxId(given);
  if (highest !== undefined) await advanceNumbering(session, table, highest);
  if (numbered.size === 0 || haveOwnVersions(entries)) return entries;
  const ids = await drawNumbers(session, table, numbered.size);
  let drawn = 0;
  return entries.map((entry) => (numbered.has(entry) ? { ...entry, row: { ...entry.row, [table.id.name]: ids[drawn++] } } : entry));
}

/** The largest id; `Math.max` would round bigints. */
function maxId([first, ...others]: readonly Id[]): Id | undefined {
  let highest = first;
  for (const id of others) if (highest !== undefined && id > highest) highest = id;
  return highest;
}

/** Chunks of at most 1,000 rows without a repeated id: the id tells which row was inserted. */
function chunksOf(table: OwnTable, entries: readonly Entry[]): Entry[][] {
  const chunks: Entry[][] = [];
  let chunk: Entry[] = [];
  let ids = new Set<unknown>();
  for (const entry of entries) {
    const id = isNumbered(table, entry.row) ? entry : table.id.encode(entry.row[table.id.name]);
    if (chunk.length === 0 || chunk.length === chunkRows || ids.has(id)) {
      chunk = [];
      ids = new Set();
      chunks.push(chunk);
    }
    ids.add(id);
    chunk.push(entry);
  }
  return chunks;
}

async function insertChunk(target: TenantRows, chunk: readonly Entry[]): Promise<Map<number, Outcome<Row>>> {
  const { table } = target;
  const outcomes = new Map<number, Outcome<Row>>();
  const written = new Map<string, number>();
  let pending = chunk;
  for (let attempt = 1; attempt <= attempts && pending.length > 0; attempt++) {
    const insertedId = await insertPending(target, pending);
    for (const { position, row } of pending) {
      const id = insertedId(row);
      if (id === undefined) continue;
      outcomes.set(position, inserted(table, row, id));
      written.set(String(id), position);
    }
    pending = pending.filter(({ position }) => !outcomes.has(position));
    for (const [position, outcome] of await findChunkConflicts(target, pending, written)) outcomes.set(position, outcome);
    pending = pending.filter(({ position }) => !outcomes.has(position));
  }
  if (pending.length > 0) throw conflictsChanged(table, attempts);
  return outcomes;
}

/** Inserts all rows, or none if one conflicts. @returns whether it inserted them */
async function insertAllOrNone({ session, table, tenant }: TenantRows, chunk: readonly Entry[]): Promise<boolean> {
  const statement = insertRecords(table, chunk, tenant, { returns: "none", numbers: numbersSome(table, chunk), conflicts: "leave" });
  try {
    await transact(session, async (inner) => {
      const { affected } = await run(inner, statement);
      if (affected !== chunk.length) throw new RowsConflict();
    });
    return true;
  } catch (error) {
    if (error instanceof RowsConflict) return false;
    throw error;
  }
}

/** Rolls back the insert of a chunk. */
class RowsConflict extends Error {
  override readonly name = "RowsConflict";
}

/** Inserts rows. @returns the id of an inserted row, found by its version if the store assigned some ids, otherwise by its id */
async function insertPending({ session, table, tenant }: TenantRows, pending: readonly Entry[]): Promise<(row: NewRow) => Id | undefined> {
  const numbers = numbersSome(table, pending);
  const { rows } = await run(session, insertRecords(table, pending, tenant, { returns: "many", numbers, conflicts: "leave" }));
  const ids = new Map(
    rows.map((stored) => {
      const id = table.id.decode(stored[table.id.name]) as Id;
      return [numbers ? stored["_version"] : String(id), id];
    }),
  );
  return (row) => ids.get(numbers ? row._version : idKey(table, row));
}

function numbersSome(table: OwnTable, entries: readonly Entry[]): boolean {
  return entries.some(({ row }) => isNumbered(table, row));
}

function idKey(table: OwnTable, row: NewRow): string {
  return String(row[table.id.name] as Id);
}
