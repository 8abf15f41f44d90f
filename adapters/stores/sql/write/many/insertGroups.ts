import type { InsertManyOptions, Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import { roomAfter } from "../../../../../src/ground/storage/queue/roomAfter.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { isUniqueViolation } from "../../engine/errors.js";
import { run } from "../../engine/session.js";
import type { OwnTable } from "../../schema/table.js";
import { idKey } from "../../schema/tableKey.js";
import { type Entry, haveOwnVersions, inserted } from "../entry.js";
import { findConflict } from "../findConflict.js";
import { insertColumns, isNumbered } from "../insert.js";
import { changesOtherKeys, insertEach, type Merge, mergeHeld } from "../mergeRow.js";
import { insertOne } from "../singleRow.js";
import type { TenantRows } from "../tenantRows.js";
import { type GroupKind, insertGroup } from "./insertGroup.js";

/** Numbers of rows per statement. Each needs its own prepared statement, so there are only two. */
const groupSizes: readonly number[] = [64, 8];

/** The most characters of the rows of one statement, which runs in one turn of the event loop. */
const maxCharacters = 1_000_000;

/** The most parameters of a statement in SQLite. */
const maxParameters = 32_766;

/**
 * Inserts rows in order, in groups of one statement each, for engines that receive rows as parameters. The outcomes are the same as when inserting the rows one by one.
 *
 * First it assumes that no row conflicts, and inserts each group completely or not at all. After the first group that fails, rows with a common key go into
 * different groups, and the reason is looked up for each row that was not inserted.
 */
export async function insertGroups(
  target: TenantRows,
  entries: readonly Entry[],
  merge: Merge | undefined,
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const { table } = target;
  const sizes = sizesOf(table);
  const outcomes = await insertWhole(target, entries, sizes, returning);
  const others = entries.slice(outcomes.length);
  if (merge !== undefined && changesOtherKeys(table, merge)) return [...outcomes, ...(await insertEach(target, others, merge))];
  for (const part of distinctRuns(table, others, Math.max(1, ...sizes))) {
    for (let start = 0; start < part.length; ) {
      const group = takeGroup(part, start, sizes);
      outcomes.push(...(await insertFree(target, group, merge)));
      start += group.length;
    }
  }
  return outcomes;
}

/** Inserts whole groups. @returns the outcomes of the rows before the first group that failed or has only one row */
async function insertWhole(
  target: TenantRows,
  entries: readonly Entry[],
  sizes: readonly number[],
  returning: InsertManyOptions["returning"],
): Promise<Outcome<Row>[]> {
  const { table } = target;
  const outcomes: Outcome<Row>[] = [];
  while (outcomes.length < entries.length) {
    const group = takeGroup(entries, outcomes.length, sizes);
    const kind = returning !== "none" && group.some(({ row }) => isNumbered(table, row)) ? "numbered" : "whole";
    // Versions tell which id belongs to which row. Each write should have a new version, but a caller may break that rule.
    if (group.length === 1 || (kind === "numbered" && !haveOwnVersions(group))) break;
    try {
      const ids = await insertedIds(target, group, kind);
      for (const { row } of group) outcomes.push(inserted(table, row, ids.get(row._version)));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      break;
    }
  }
  return outcomes;
}

/** Inserts the rows of a group whose keys are free. The others conflict with rows that existed before the group. */
async function insertFree(target: TenantRows, group: readonly Entry[], merge: Merge | undefined): Promise<Outcome<Row>[]> {
  const { table } = target;
  if (group.length === 1) return insertEach(target, group, merge);
  const ids = await insertedIds(target, group, "free");
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of group) {
    const id = ids.get(row._version);
    if (id !== undefined) {
      outcomes.push(inserted(table, row, id));
      continue;
    }
    const refusal = await findConflict(target, row, operationId);
    const outcome = refusal ?? (await insertOne(target, row, operationId));
    outcomes.push(await mergeHeld(target, row, merge, outcome));
  }
  return outcomes;
}

/** Ids by the versions of their rows. */
async function insertedIds({ session, table, tenant }: TenantRows, group: readonly Entry[], kind: GroupKind): Promise<Map<unknown, Id>> {
  const { rows } = await run(session, insertGroup(table, group, tenant, kind));
  return new Map(rows.map((stored) => [stored["_version"], table.id.decode(stored[table.id.name]) as Id]));
}

/** The rows of the next statement, from `start` on. */
function takeGroup(entries: readonly Entry[], start: number, sizes: readonly number[]): readonly Entry[] {
  const [maxRows = 1] = sizes;
  const next = entries.slice(start, start + maxRows);
  let room = maxCharacters;
  const full = next.findIndex(({ row }) => {
    room = roomAfter(row, room);
    return room <= 0;
  });
  const fitting = full === -1 ? next.length : full;
  const size = sizes.find((rows) => rows <= fitting) ?? 1;
  return next.slice(0, size);
}

function sizesOf(table: OwnTable): readonly number[] {
  const columns = insertColumns(table, false).length;
  return groupSizes.filter((rows) => rows * columns <= maxParameters);
}

/** Splits rows, in order, into parts of at most `maxRows` rows without a common version, operation id, id or unique key. */
function* distinctRuns(table: OwnTable, entries: readonly Entry[], maxRows: number): Generator<readonly Entry[], void, void> {
  let start = 0;
  let taken = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const names = namesOf(table, entry);
    if (index - start === maxRows || names.some((name) => taken.has(name))) {
      yield entries.slice(start, index);
      start = index;
      taken = new Set();
    }
    for (const name of names) taken.add(name);
  }
  if (start < entries.length) yield entries.slice(start);
}

/** One text for each value that must be unique. */
function namesOf(table: OwnTable, { row, operationId }: Entry): string[] {
  const names = [`version ${row._version}`];
  if (operationId !== undefined) names.push(`operation ${operationId}`);
  for (const [index, key] of [idKey(table), ...table.keys].entries()) {
    const values = key.valuesOf(row);
    if (values !== undefined && !values.includes(null)) names.push(`${index} ${values.join("\0")}`);
  }
  return names;
}
