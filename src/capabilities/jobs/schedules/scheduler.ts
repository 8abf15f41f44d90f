import type { Environment } from "../../../engine/operation/environment.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import { backgroundTimer, type Timer } from "../../../ground/http/timers.js";
import type { JobStore } from "../../../ground/storage/queue/jobs.js";
import { type CompiledJob, type OwnInput, systemOwner } from "../own/compile.js";
import type { Calendar } from "./calendar.js";
import { missedAfterMs, tickId } from "./ticks.js";

/** What a scheduler needs. */
export interface SchedulerParts {
  readonly calendars: readonly Calendar[];
  readonly handlers: ReadonlyMap<string, CompiledJob>;
  readonly store: JobStore;
  readonly environment: Environment;
  /** Called when it has created a job. */
  wake(): void;
}

/** Timers are set for no longer, in milliseconds: a clock may be set, and timers of Node end at 24 days. */
const longestMs = 3_600_000;
const retryMs = 5_000;
/** The ticks of a schedule that wait as jobs. With one, a tick would be lost whose predecessor ended in a process that died before it had created it. */
const kept = 2;

/** Creates the jobs of the next two ticks of each schedule, and the following one when a tick has come. Any number of processes may: each tick has one job. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #timers = new Map<Calendar, Timer>();
  readonly #createdMs = new Map<Calendar, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  start(): void {
    for (const calendar of this.#parts.calendars) this.#look(calendar);
  }

  /** Creates nothing more, and waits for what is on its way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    await Promise.all(this.#running);
  }

  #look(calendar: Calendar): void {
    if (this.#isClosed) return;
    const looking = this.#keep(calendar)
      .catch((err: unknown) => {
        this.#parts.environment.logger.warn(
          { err, schedule: calendar.schedule.name },
          "The next job of a schedule could not be created; this is tried again.",
        );
        return retryMs;
      })
      .then((ms) => {
        this.#running.delete(looking);
        if (!this.#isClosed)
          this.#timers.set(
            calendar,
            backgroundTimer(this.#parts.environment.timers, () => this.#look(calendar), ms),
          );
      });
    this.#running.add(looking);
  }

  /** @returns milliseconds until the next look */
  async #keep(calendar: Calendar): Promise<number> {
    const { clock } = this.#parts.environment;
    const nowMs = clock.now();
    const createdMs = this.#createdMs.get(calendar) ?? nowMs;
    // From the last one on: the storage may have been away for a few ticks, or this process busy.
    let atMs = calendar.after(Math.min(nowMs, Math.max(createdMs, nowMs - missedAfterMs)));
    for (let ahead = 0; ahead < kept && atMs !== undefined; atMs = calendar.after(atMs)) {
      if (atMs > (this.#createdMs.get(calendar) ?? 0)) {
        await this.#create(calendar, atMs);
        this.#createdMs.set(calendar, atMs);
      }
      if (atMs > nowMs) ahead += 1;
    }
    const nextMs = calendar.after(clock.now());
    return Math.min(longestMs, nextMs === undefined ? longestMs : Math.max(1, nextMs - clock.now() + 1));
  }

  /** Creates the job of a tick if no process has. */
  async #create({ schedule }: Calendar, atMs: number): Promise<void> {
    const { handlers, store, environment, wake } = this.#parts;
    const [at, tick] = [new Date(atMs), { schedule: schedule.name, atMs }];
    const input: OwnInput = { input: await handlers.get(schedule.job)?.stored(schedule.input?.({ at })), tick };
    const job = { id: tickId(tick), type: schedule.job, tenant: schedule.tenant, owner: systemOwner, input, dueAt: at };
    if (await retrying(() => store.create(job), environment)) wake();
  }
}
