import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { FailedOutcome, Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Dialect } from "../../engine/dialect.js";
import { run, type Session } from "../../engine/session.js";
import { ownIndex } from "../../schema/ownIndex.js";
import type { IndexDefinition } from "../../schema/schema.js";
import type { MappedSqlTable } from "../mappedTable.js";

/** The rows that operations created in tables without a column for that. A record commits with its row. */
export function createOperationsTable(dialect: Dialect): { readonly table: string; readonly index: IndexDefinition } {
  const text = dialect.columnType("text");
  return {
    table:
      `create table if not exists ${dialect.place.own.operations} ("tenant" ${text} not null, "collection" ${text} not null, "operation_id" ${text} not null, ` +
      `"row_id" ${text}, "created" ${dialect.columnType("int")} not null, primary key ("tenant", "collection", "operation_id"))`,
    index: ownIndex(dialect.place, "operations", "age", `("created")`),
  };
}

/** A repeated operation does not create its row again after that was removed. */
const removedSince: FailedOutcome<Row> = {
  ...{ ok: false, why: "refused", rule: "other", fields: [] },
  problem: { status: 404, code: "NOT_FOUND", detail: "The row that this operation created has been removed since." },
};

/** How long a repeated operation finds its row, in milliseconds: longer than idempotency keys and jobs are kept. */
const keptMs = 31 * 86_400_000;
const sweptRows = 10_000;

/** Removes records that no repetition can need any more. */
export async function sweepOperations(session: Session, nowMs: number, maxRows = sweptRows): Promise<void> {
  const key = `"tenant", "collection", "operation_id"`;
  const unlocked = session.dialect.locks.skipLocked;
  const old = `select ${key} from ${session.dialect.place.own.operations} where "created" < ${Math.trunc(nowMs - keptMs)} limit ${maxRows}${unlocked}`;
  await run(session, {
    text: `delete from ${session.dialect.place.own.operations} where (${key}) in (${old})`,
    values: [],
    writes: true,
    returns: "none",
  });
}

/** How many operations each table has claimed in this process. */
const claimedCounts = new WeakMap<MappedSqlTable, number>();
const claimsPerSweep = 50;

/** A process that runs for months also removes records: up to two for each that it writes, so that they never pile up. */
async function sweepAfter(session: Session, mapped: MappedSqlTable, claims: number): Promise<void> {
  const before = claimedCounts.get(mapped) ?? 0;
  claimedCounts.set(mapped, before + claims);
  const sweeps = Math.floor((before + claims) / claimsPerSweep) - Math.floor(before / claimsPerSweep);
  if (sweeps > 0) await sweepOperations(session, Date.now(), 2 * sweeps * claimsPerSweep);
}

/**
 * Claims operations that have not inserted a row yet.
 *
 * @param session an open transaction
 * @returns how many of them are claimed
 */
export async function claimOperations(session: Session, mapped: MappedSqlTable, tenant: string, operationIds: readonly string[]): Promise<number> {
  const { placeholder } = mapped.dialect;
  const rows = operationIds.map((_, index) => `(${[1, 2, index + 4, 3].map(placeholder).join(", ")})`);
  const text = `insert into ${session.dialect.place.own.operations} ("tenant", "collection", "operation_id", "created") values ${rows.join(", ")} on conflict do nothing returning 1 as "claimed"`;
  const values = [tenant, mapped.model.name, Date.now(), ...operationIds];
  await sweepAfter(session, mapped, operationIds.length);
  return (await run(session, { text, values, writes: true, returns: "many" })).rows.length;
}

/** Records the rows that claimed operations inserted. */
export async function recordRows(
  session: Session,
  mapped: MappedSqlTable,
  tenant: string,
  operations: readonly { readonly operationId: string | undefined }[],
  rows: readonly Row[],
): Promise<void> {
  const { placeholder, cast } = mapped.dialect;
  const pairs = operations.map((_, index) => `(${placeholder(2 * index + 3)}${cast("text")}, ${placeholder(2 * index + 4)}${cast("text")})`);
  const text =
    `update ${session.dialect.place.own.operations} as "held" set "row_id" = "made"."row_id" from (values ${pairs.join(", ")}) as "made" ("operation_id", "row_id") ` +
    `where "held"."tenant" = ${placeholder(1)} and "held"."collection" = ${placeholder(2)} and "held"."operation_id" = "made"."operation_id"`;
  const values = operations.flatMap(({ operationId }, index) => [operationId, String(rows[index]?.[mapped.id.name])]);
  await run(session, { text, values: [tenant, mapped.model.name, ...values], writes: true, returns: "none" });
}

/**
 * Inserts a row unless an earlier operation of the same id has inserted one. The record is written first: a second one of the same id waits for the first.
 *
 * @param session an open transaction
 */
export async function insertedOnce(
  session: Session,
  mapped: MappedSqlTable,
  tenant: string,
  operationId: string,
  { insert, find }: { insert(): Promise<Outcome<Row>>; find(id: string): Promise<Row | undefined> },
): Promise<Outcome<Row>> {
  const { placeholder } = mapped.dialect;
  const key = [tenant, mapped.model.name, operationId];
  const values = [1, 2, 3, 4].map(placeholder).join(", ");
  const claim = `insert into ${session.dialect.place.own.operations} ("tenant", "collection", "operation_id", "created") values (${values}) on conflict do nothing returning 1 as "claimed"`;
  await sweepAfter(session, mapped, 1);
  const claimed = await run(session, { text: claim, values: [...key, Date.now()], writes: true, returns: "one" });
  const where = (from: number) =>
    `"tenant" = ${placeholder(from)} and "collection" = ${placeholder(from + 1)} and "operation_id" = ${placeholder(from + 2)}`;
  if (claimed.rows.length === 0) {
    const { rows } = await run(session, {
      text: `select "row_id" as "id" from ${session.dialect.place.own.operations} where ${where(1)}`,
      values: key,
      writes: true,
      returns: "one",
    });
    const row = rows[0]?.["id"] === null || rows[0] === undefined ? undefined : await find(String(rows[0]["id"]));
    return row === undefined ? removedSince : { ok: true, row, created: false };
  }
  const outcome = await insert();
  const recorded = outcome.ok ? String(outcome.row[mapped.id.name]) : undefined;
  const text =
    recorded === undefined
      ? `delete from ${session.dialect.place.own.operations} where ${where(1)}`
      : `update ${session.dialect.place.own.operations} set "row_id" = ${placeholder(1)} where ${where(2)}`;
  await run(session, { text, values: recorded === undefined ? key : [recorded, ...key], writes: true, returns: "none" });
  return outcome;
}
