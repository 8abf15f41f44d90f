import { Bindings } from "../../engine/bindings.js";
import { instant } from "../../engine/clock.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import type { OwnTableName } from "../../schema/place.js";

/** A table of leased rows. */
export interface LeasedRows {
  readonly table: OwnTableName;
  /** The condition of a row under a lease, which may have expired. A lease begins with it as an assignment. */
  readonly held: string;
  /** The column with the time of the end, which is null until then. */
  readonly ended: string;
  /** The number of the lock of claims. Any fixed one will do. */
  readonly claimLock: number;
}

export const leasedJobs: LeasedRows = { table: "jobs", held: `"held" = 1`, ended: `"finished"`, claimLock: 729_310_455 };
export const leasedDeliveries: LeasedRows = { table: "deliveries", held: `"state" = 'sending'`, ended: `"ended"`, claimLock: 729_310_456 };
export const leasedTasks: LeasedRows = { table: "tasks", held: `"state" = 'running'`, ended: `"ended"`, claimLock: 729_310_457 };

/** The proof of a worker that it holds a lease. */
export interface Lease {
  readonly id: string;
  readonly fence: number;
}

/** What the leases of one claim have in common. */
export interface Leasing {
  readonly leaseMs: number;
  /** The time of the store. */
  readonly nowMs: number;
  readonly holder: number | null | undefined;
  readonly claimId: string | null | undefined;
}

/** The condition "this is the current lease, and the row has not ended". */
export function heldBy({ held }: LeasedRows, { id, fence }: Lease, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "fence" = cast(${bindings.bind(fence)} as bigint) and ${held}`;
}

/** The time of the store in so many milliseconds. */
export function inMs(ms: number, bindings: Bindings): string {
  return `${bindings.dialect.now} + cast(${bindings.bind(Math.ceil(ms))} as bigint)`;
}

/**
 * Waits for other claims to end, as each counts the leases of the previous ones.
 *
 * @param also further columns to select, and who waits for each other: the claims of one group, if there are groups
 * @returns the time of the store as "now", and the further columns
 */
export async function lockClaims(
  session: Session,
  { table, claimLock: number }: LeasedRows,
  { also = "", ...of }: { readonly group?: string; readonly isOverestimated?: true; readonly also?: string } = {},
): Promise<SqlRow> {
  const { locks, now, place } = session.dialect;
  const { from, values } = locks.claim({ number, table: place.own[table], ...of });
  const { rows } = await run(session, { text: `select ${now} as "now"${also}${from}`, values, writes: true, returns: "one" });
  return rows[0] ?? {};
}

/**
 * Leases the rows with these numbers. An attempt whose lease ended counts, as interrupted.
 *
 * @param also further assignments
 */
export function leaseRows(
  dialect: Dialect,
  { table, held }: LeasedRows,
  numbers: readonly number[],
  { leaseMs, nowMs, holder = null, claimId = null }: Leasing,
  also: (bindings: Bindings) => string,
): SqlStatement {
  const bindings = new Bindings(dialect);
  // Bound, so that the text stays the same and its prepared statement is reused.
  const integer = (value: number | null) => `cast(${bindings.bind(value)} as bigint)`;
  const interrupted = `case when ${held} then 1 else 0 end`;
  const assignments =
    `"attempts" = "attempts" + ${interrupted}, "interrupted" = coalesce("interrupted", 0) + ${interrupted}, ${held}, "fence" = "fence" + 1, ` +
    `"due" = ${integer(nowMs + Math.ceil(leaseMs))}, "holder" = ${integer(holder)}, "claim" = ${bindings.bind(claimId)}, ${also(bindings)}`;
  const listed = dialect.list("int", bindings.bind(JSON.stringify(numbers)));
  const text = `update ${dialect.place.own[table]} set ${assignments} where "number" in (${listed}) returning *`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/**
 * Releases the leases that a claim has made and that are still held, one by one, so that each locks what it must in the usual order.
 *
 * @param group of the claim, if claims of different groups do not wait for each other
 * @returns how many
 */
export async function unclaim(
  session: Session,
  leased: LeasedRows,
  claimId: string,
  release: (lease: Lease) => Promise<boolean>,
  group?: { readonly group: string },
): Promise<number> {
  const leases = await joined(session, async (inner) => {
    // The connection of a claim may have broken while its transaction still commits.
    await lockClaims(inner, leased, group);
    const bindings = new Bindings(inner.dialect);
    const text = `select "id", "fence" from ${inner.dialect.place.own[leased.table]} where ${leased.held} and "claim" = ${bindings.bind(claimId)}`;
    const { rows } = await run(inner, { text, values: bindings.values, writes: true, returns: "many" });
    return rows.map(toLease);
  });
  let released = 0;
  for (const lease of leases) if (await release(lease)) released += 1;
  return released;
}

export function toLease({ id, fence }: SqlRow): Lease {
  return { id: String(id), fence: Number(fence) };
}

/** Deletes rows that ended more than `keepMs` ago, the first ones first. The condition occurs twice because PostgreSQL only checks the outer one again for rows that it had to wait for. */
export function deleteEnded(dialect: Dialect, { table, ended }: LeasedRows, keepMs: number, max: number, returned: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const over = () => `${ended} is not null and ${ended} < ${instant(dialect)} - cast(${bindings.bind(Math.floor(keepMs))} as bigint)`;
  const own = dialect.place.own[table];
  const some = `select "number" from ${own} where ${over()} order by ${ended} limit ${bindings.bind(max)}`;
  const text = `delete from ${own} where "number" in (${some}) and ${over()} returning ${returned}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}
