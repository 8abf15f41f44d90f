import type { ClaimedTask, TaskClaim } from "../../../../../src/ground/storage/queue/subscribers.js";
import type { SqlRow } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { makeReady, selectDue, selectDueIn, selectReady } from "./taskQueue.js";
import { toSubscriberEvent } from "./taskRow.js";
import { leaseTasks, selectEvents } from "./taskStatements.js";

/** The number of the lock of claims. Any fixed one will do. */
const claimLock = 729_310_457;
/** The most tasks of one claim: its cost grows with the square. */
const claimedAtOnce = 100;

/**
 * Leases due tasks, one of each tenant in turn. Without a due task it only reads.
 *
 * Claims of one subscriber run one after the other, so that each walks over tasks that the previous ones left.
 */
export async function claimTasks(session: Session, request: TaskClaim): Promise<readonly ClaimedTask[]> {
  const dialect = session.dialect;
  const [due] = (await run(session, selectDueIn(dialect, [request.name]))).rows;
  if (request.max < 1 || due === undefined || due["dueIn"] === null || Number(due["dueIn"]) > 0) return [];
  const holder = await session.executor.presence?.holder();
  return joined(session, async (inner) => {
    const nowMs = await lockClaims(inner, request.name);
    const waited = (await run(inner, selectDue(dialect, request.name))).rows.map(({ number }) => Number(number));
    if (waited.length > 0) await run(inner, makeReady(dialect, waited));
    const max = Math.min(Math.floor(request.max), claimedAtOnce);
    const chosen = (await run(inner, selectReady(dialect, { ...request, max }))).rows.map(({ number }) => Number(number));
    if (chosen.length === 0) return [];
    const { rows } = await run(inner, leaseTasks(dialect, chosen, { leaseMs: request.leaseMs, nowMs, holder, claimId: request.claimId }));
    return claimed(inner, chosen, rows);
  });
}

/** Waits for other claims of the subscriber to end. @returns the time of the store, in milliseconds */
export async function lockClaims(session: Session, name: string): Promise<number> {
  const { locks, now, place } = session.dialect;
  const { from, values } = locks.claim({ number: claimLock, table: place.own.tasks, group: name });
  const { rows } = await run(session, { text: `select ${now} as "now"${from}`, values, writes: true, returns: "one" });
  return Number(rows[0]?.["now"]);
}

/** The claimed tasks in the order of the choice, with their events. */
async function claimed(session: Session, chosen: readonly number[], leased: readonly SqlRow[]): Promise<readonly ClaimedTask[]> {
  const ids = [...new Set(leased.map(({ event }) => String(event)))];
  const events = (await run(session, selectEvents(session.dialect, ids, true))).rows.map(toSubscriberEvent);
  const byId = new Map(events.map((event) => [event.id, event]));
  const byNumber = new Map(leased.map((row) => [Number(row["number"]), row]));
  return chosen.flatMap((number) => {
    const row = byNumber.get(number);
    const event = byId.get(String(row?.["event"]));
    if (row === undefined || event === undefined) return [];
    const lease = { id: String(row["id"]), fence: Number(row["fence"]) };
    return [{ lease, name: String(row["name"]), attempt: Number(row["attempts"]) + 1, interrupted: Number(row["interrupted"]), event }];
  });
}
