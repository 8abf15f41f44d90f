import type { ClaimedJob, ClaimRequest } from "../../../../src/ground/storage/queue/jobs.js";
import { inTurns } from "../../inTurns.js";
import { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import { joined, run, type Session } from "../engine/session.js";
import { firstDue, makeReady, selectClaimable } from "./jobQueue.js";
import { stateColumns, toClaimed } from "./jobRow.js";
import { type Leasing, leasedJobs, lockClaims } from "./queue/leases.js";

/**
 * Leases jobs that are due: the oldest of each tenant that has none in progress, from one tenant to the next, then the oldest ones within the limit per tenant.
 *
 * Claims run one after the other, so that each counts the leases of the previous ones. Jobs that are locked by a transaction are skipped.
 */
export async function claimJobs(session: Session, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const holder = await session.executor.presence?.holder();
  return joined(session, async (inner) => {
    const { nowMs, dueMs } = await lockJobClaims(inner);
    if (dueMs !== undefined && dueMs <= nowMs) await run(inner, makeReady(inner.dialect, nowMs));
    const chosen = (await run(inner, selectClaimable(inner.dialect, request, nowMs))).rows.map(({ number }) => Number(number));
    const leased = await leaseFirst(inner, chosen, request.max, { leaseMs: request.leaseMs, nowMs, holder, claimId: request.claimId });
    return inTurns(leased.toSorted((left, right) => Number(left["number"]) - Number(right["number"])).map(toClaimed), request.after);
  });
}

/** Waits for other claims to end. @returns the time of the store, and when the first job that waits for its time is due, in milliseconds */
async function lockJobClaims(session: Session): Promise<{ readonly nowMs: number; readonly dueMs: number | undefined }> {
  const also = `, ${firstDue(session.dialect)} as "due"`;
  const { now: nowMs, due = null } = await lockClaims(session, leasedJobs, { isOverestimated: true, also });
  return { nowMs: Number(nowMs), dueMs: due === null ? undefined : Number(due) };
}

/** Leases the first of the chosen jobs. Where some are locked, the following ones take their place. */
async function leaseFirst(session: Session, chosen: readonly number[], max: number, leasing: Leasing): Promise<readonly SqlRow[]> {
  const leased: SqlRow[] = [];
  for (let next = 0; next < chosen.length && leased.length < max; ) {
    const some = chosen.slice(next, next + max - leased.length);
    next += some.length;
    leased.push(...(await run(session, leaseJobs(session.dialect, some, leasing))).rows);
  }
  return leased;
}

function leaseJobs(dialect: Dialect, numbers: readonly number[], { leaseMs, nowMs, holder, claimId = null }: Leasing): SqlStatement {
  const bindings = new Bindings(dialect);
  const { jobs, jobInputs } = dialect.place.own;
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  // One parameter each, so that the engine knows how few they are: it takes any list for a hundred, and would rather read all jobs of a small table.
  const listed = `free."number" in (${numbers.map(integer).join(", ")})`;
  // Whether it still is ready, in other words than those of the index, which the engine would then read from end to end.
  const stays = `free."finished" is null and free."due" < 1`;
  // Materialized: a sub-select could run, and lock rows, more than once.
  const free = `free as materialized (select free."number" as "chosen" from ${jobs} as free where ${listed} and ${stays}${dialect.locks.skipLocked})`;
  const assignments = [
    `"status" = 'processing', "fence" = held."fence" + 1, "attempts" = held."attempts" + held."tried", "tried" = 1, "held" = 1, "holder" = ${holder ?? "null"}`,
    `"due" = ${integer(nowMs + Math.ceil(leaseMs))}, "started" = coalesce(held."started", ${integer(nowMs)}), "changes" = held."changes" + 1, "claim" = ${bindings.bind(claimId)}`,
  ];
  const input = `(select "input" from ${jobInputs} where "job" = "id") as "input"`;
  return {
    text:
      `with ${free} update ${jobs} as held set ${assignments.join(", ")} ` +
      `from free where held."number" = free."chosen" returning "number", ${stateColumns}, "fence", "cursor", "trace", ${input}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}
