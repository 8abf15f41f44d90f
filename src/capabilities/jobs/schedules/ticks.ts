import type { Clock } from "../../../ground/clock/clock.js";
import type { ClaimedJob, JobStore } from "../../../ground/storage/queue/jobs.js";
import type { Calendar } from "./calendar.js";

/** A time of a schedule, as it is stored with its job. */
export interface Tick {
  readonly schedule: string;
  readonly atMs: number;
}

/** A tick that no worker has begun by then is missed, in milliseconds. */
export const missedAfterMs = 300_000;

/** The id of the job of a tick: whichever process creates it first, there is one. */
export function tickId({ schedule, atMs }: Tick): string {
  return `${schedule}@${new Date(atMs).toISOString()}`;
}

/** Why the job of a tick is not run; `undefined` if it is. */
export async function whyNot(
  tick: Tick,
  job: Pick<ClaimedJob, "startedAt">,
  calendars: ReadonlyMap<string, Calendar>,
  { store, clock }: { readonly store: JobStore; readonly clock: Clock },
): Promise<string | undefined> {
  const calendar = calendars.get(tick.schedule);
  if (calendar === undefined) return `There is no schedule "${tick.schedule}" any more.`;
  if (!calendar.has(tick.atMs)) return `The schedule "${tick.schedule}" no longer has this time.`;
  const begunMs = job.startedAt?.getTime() ?? clock.now();
  if (begunMs - tick.atMs <= missedAfterMs) return undefined;
  if (calendar.schedule.ifMissed === "skip") return "Nobody could begin it within five minutes.";
  // The last of those that were missed stands for them.
  const nextMs = calendar.after(tick.atMs);
  if (nextMs === undefined || nextMs > begunMs) return undefined;
  const next = await store.get(tickId({ schedule: tick.schedule, atMs: nextMs }));
  return next && "A later one was missed too, and stands for it.";
}
