import type { InsertManyOptions, Row } from "../../src/storage/collection.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Id } from "../../src/storage/scalar.js";
import { findConflict } from "./conflict.js";
import { type Entry, haveOwnVersions, inserted } from "./entry.js";
import { isUniqueViolation } from "./errors.js";
import { insertColumns, isNumbered } from "./insert.js";
import { insertEach } from "./insertEach.js";
import { type GroupKind, insertGroup } from "./insertGroup.js";
import { type Merge, mergeHeld, movesKeys } from "./mergeRow.js";
import { run, type Session } from "./session.js";
import { stretchesOf } from "./stretches.js";
import type { Table } from "./table.js";
import { insertOne } from "./write.js";

/** Rows of one statement. Each is another text to prepare and keep, so there are two. */
const groupSizes: readonly number[] = [64, 8];

/** The most parameters that SQLite takes. */
const parameterLimit = 32_766;

/**
 * Inserts rows by groups of one statement each (SQLite), in order, with the outcomes that inserting them one by one would have.
 *
 * Rows are taken to be new: their groups go in whole or not at all. From the first group on that does not, rows that have a key in common
 * go into groups of their own, and each row that is refused is asked for its reason.
 */
export async function insertGroups(
  session: Session,
  table: Table,
  entries: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const sizes = sizesOf(table);
  const outcomes = await insertWhole(session, table, entries, tenant, sizes, returning);
  const others = entries.slice(outcomes.length);
  if (merge !== undefined && movesKeys(table, merge)) return [...outcomes, ...(await insertEach(session, table, others, tenant, merge))];
  for (const stretch of stretchesOf(table, others, Math.max(1, ...sizes))) {
    for (let start = 0; start < stretch.length; ) {
      const group = takeGroup(stretch, start, sizes);
      outcomes.push(...(await insertFree(session, table, group, tenant, merge)));
      start += group.length;
    }
  }
  return outcomes;
}

/** The outcomes of the rows before the first group that did not go in, or is too small to be one. */
async function insertWhole(
  session: Session,
  table: Table,
  entries: readonly Entry[],
  tenant: string,
  sizes: readonly number[],
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  while (outcomes.length < entries.length) {
    const group = takeGroup(entries, outcomes.length, sizes);
    const kind = returning !== "none" && group.some(({ row }) => isNumbered(table, row)) ? "numbered" : "whole";
    // Ids are told by the versions of their rows, and a caller may not keep to it that each write has another.
    if (group.length === 1 || (kind === "numbered" && !haveOwnVersions(group))) break;
    try {
      const ids = await insertedIds(session, table, group, tenant, kind);
      for (const { row } of group) outcomes.push(inserted(table, row, ids.get(row._version)));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      break;
    }
  }
  return outcomes;
}

/** Inserts the rows of a group whose keys are free. A row of it that is refused has met one from before the group. */
async function insertFree(
  session: Session,
  table: Table,
  group: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
): Promise<Outcome<Row>[]> {
  if (group.length === 1) return insertEach(session, table, group, tenant, merge);
  const ids = await insertedIds(session, table, group, tenant, "free");
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of group) {
    const id = ids.get(row._version);
    if (id !== undefined) {
      outcomes.push(inserted(table, row, id));
      continue;
    }
    const refusal = await findConflict(session, table, row, tenant, operationId);
    const outcome = refusal ?? (await insertOne(session, table, row, tenant, operationId));
    outcomes.push(await mergeHeld(session, table, row, tenant, merge, outcome));
  }
  return outcomes;
}

/** Ids by the versions of their rows. */
async function insertedIds(session: Session, table: Table, group: readonly Entry[], tenant: string, kind: GroupKind): Promise<Map<unknown, Id>> {
  const { rows } = await run(session, insertGroup(table, group, tenant, kind));
  return new Map(rows.map((stored) => [stored["_version"], table.id.decode(stored[table.id.name]) as Id]));
}

/** As many rows as one statement takes, from `start` on. */
function takeGroup(entries: readonly Entry[], start: number, sizes: readonly number[]): readonly Entry[] {
  const size = sizes.find((rows) => rows <= entries.length - start) ?? 1;
  return entries.slice(start, start + size);
}

function sizesOf(table: Table): readonly number[] {
  const columns = insertColumns(table, false).length;
  return groupSizes.filter((rows) => rows * columns <= parameterLimit);
}
