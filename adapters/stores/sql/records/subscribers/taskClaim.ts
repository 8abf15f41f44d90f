import type { ClaimedTask, TaskClaim } from "../../../../../src/ground/storage/queue/subscribers.js";
import type { SqlRow } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { leasedTasks, leaseRows, lockClaims, toLease } from "../queue/leases.js";
import { readEvents, taskEvents } from "../queue/storedEvents.js";
import { makeReady, selectDue, selectDueIn, selectReady } from "./taskQueue.js";

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
    const nowMs = Number((await lockClaims(inner, leasedTasks, { group: request.name }))["now"]);
    const waited = (await run(inner, selectDue(dialect, request.name))).rows.map(({ number }) => Number(number));
    if (waited.length > 0) await run(inner, makeReady(dialect, waited));
    const max = Math.min(Math.floor(request.max), claimedAtOnce);
    const chosen = (await run(inner, selectReady(dialect, { ...request, max }))).rows.map(({ number }) => Number(number));
    if (chosen.length === 0) return [];
    const leasing = { leaseMs: request.leaseMs, nowMs, holder, claimId: request.claimId };
    const lease = leaseRows(dialect, leasedTasks, chosen, leasing, () => `"ready" = 0`);
    const { rows } = await run(inner, lease);
    return claimed(inner, chosen, rows);
  });
}

/** The claimed tasks in the order of the choice, with their events. */
async function claimed(session: Session, chosen: readonly number[], leased: readonly SqlRow[]): Promise<readonly ClaimedTask[]> {
  const ids = [...new Set(leased.map(({ event }) => String(event)))];
  const events = await readEvents(session, taskEvents, ids);
  const byNumber = new Map(leased.map((row) => [Number(row["number"]), row]));
  return chosen.flatMap((number) => {
    const row = byNumber.get(number);
    const event = events.get(String(row?.["event"]));
    if (row === undefined || event === undefined) return [];
    return [{ lease: toLease(row), name: String(row["name"]), attempt: Number(row["attempts"]) + 1, interrupted: Number(row["interrupted"]), event }];
  });
}
