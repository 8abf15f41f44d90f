import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { Random } from "../../../engine/operation/random.js";
import type { WorkEnd, WorkObserver } from "../../../engine/operation/work/observer.js";
import { storeEnd } from "../../../engine/operation/work/storeEnd.js";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Timers } from "../../../ground/http/timers.js";
import { isRefusal, type ProblemError } from "../../../ground/problem/index.js";
import type { ClaimedJob, JobAdvance, JobEnd, JobError, JobStore } from "../../../ground/storage/queue/jobs.js";
import { isAway } from "../../../ground/storage/storedLater.js";
import { maxAttempts, pauseAfter } from "./attempts.js";
import type { JobHandler } from "./handler.js";
import { Heartbeat } from "./heartbeat.js";
import { JobInterrupted } from "./interruption.js";
import { LeaseLost } from "./leaseLost.js";
import { SmoothedRate } from "./rate.js";

/** The error of a job that was canceled while it ran. */
const canceledError: JobError = { code: "CANCELLED", detail: "The job was canceled." };

/** The error of a job that used up its attempts. */
const exhaustedError: JobError = {
  code: "ATTEMPTS_EXHAUSTED",
  detail: `The job was tried ${maxAttempts} times in a row without getting any further.`,
};

/** What a job needs while it runs. */
export interface RunningJobOptions {
  readonly store: JobStore;
  readonly handler: JobHandler | undefined;
  readonly leaseMs: number;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer?: WorkObserver | undefined;
}

/** Delay after saved progress until the lease is extended and cancellation is checked. Not at once, because the transaction of the progress is still open. */
const beatAfterAdvanceMs = 1_000;

/** The outcome of an attempt: an end, or the thrown error. */
type Outcome = { readonly end: JobEnd } | { readonly error: unknown };

/** One attempt at a claimed job: extends the lease while the handler runs, and saves the outcome. */
export class RunningJob {
  /** Resolves when the outcome is saved; never rejects. */
  readonly ended: Promise<WorkEnd>;
  readonly #job: ClaimedJob;
  readonly #options: RunningJobOptions;
  readonly #controller = new AbortController();
  readonly #heartbeat: Heartbeat;
  readonly #rate: SmoothedRate;
  #isLost = false;
  #isCanceled = false;
  #isClosing = false;

  constructor(job: ClaimedJob, options: RunningJobOptions) {
    const { leaseMs, timers, clock } = options;
    this.#job = job;
    this.#options = options;
    this.#rate = new SmoothedRate(job.processed, clock.now(), job.rate);
    this.#heartbeat = new Heartbeat({ everyMs: leaseMs / 3, timers, clock, beat: () => this.#extend() });
    const { id, type, attempts, trace } = job;
    const run = () => this.#runRecorded();
    this.ended = options.observer?.work({ kind: "job", type, id, attempt: attempts + 1, trace }, run) ?? run();
  }

  /** Asks the handler to stop, because the service closes. */
  interrupt(): void {
    this.#isClosing = true;
    this.#controller.abort(new JobInterrupted("closing"));
  }

  /** Releases the job although its handler still runs; its result is ignored. */
  async abandon(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#heartbeat.stop();
    try {
      await this.#release(0, false);
    } catch (error) {
      this.#log("warn", error, "Releasing a job failed; another worker can claim it when its lease ends.");
    }
  }

  async #runRecorded(): Promise<WorkEnd> {
    try {
      return await this.#run();
    } catch (error) {
      this.#log("error", error, "Storing the result of a job failed; the job is tried again when its lease ends.");
      return { outcome: "unrecorded", error };
    }
  }

  async #run(): Promise<WorkEnd> {
    const { cancelRequested, attempts } = this.#job;
    if (cancelRequested) return this.#fail(canceledError);
    // Attempts whose process died were not checked when they ended.
    if (attempts >= maxAttempts) return this.#fail(exhaustedError);
    this.#heartbeat.start();
    const outcome = await this.#perform();
    this.#heartbeat.stop();
    return this.#keep(outcome);
  }

  async #perform(): Promise<Outcome> {
    const { handler } = this.#options;
    try {
      if (handler === undefined) throw new Error(`Nobody here does jobs of the type "${this.#job.type}".`);
      const call = { signal: this.#controller.signal, advance: (jobs: JobStore, advance: JobAdvance) => this.#advance(jobs, advance) };
      return { end: await handler.run(this.#job, call) };
    } catch (error) {
      return { error };
    }
  }

  async #keep(outcome: Outcome): Promise<WorkEnd> {
    const thrown = "error" in outcome ? outcome.error : undefined;
    if (this.#isLost || thrown instanceof LeaseLost) return { outcome: "lost" };
    // A job that completed before it noticed the cancellation stays completed.
    if ("end" in outcome && (outcome.end.status === "completed" || !this.#isCanceled)) return this.#finish(outcome.end);
    if (this.#isCanceled) return this.#fail(canceledError, "end" in outcome ? outcome.end : undefined);
    // Another attempt would fail in the same way.
    if (isRefusal(thrown)) return { ...(await this.#fail(jobErrorOf(thrown))), error: thrown };
    if (this.#isClosing) return this.#release(0, false);
    this.#log("error", thrown, "A job failed.");
    return { ...(await this.#retry(thrown)), error: thrown };
  }

  /** Only the store knows whether this attempt has committed progress, which resets the number of attempts. A store that is away is no fault of the job. */
  async #retry(thrown: unknown): Promise<WorkEnd> {
    let wasAway = false;
    const away = () => {
      wasAway = true;
    };
    const state = await this.#stored(() => this.#options.store.get(this.#job.id), away);
    if (wasAway && isAway(thrown)) return this.#release(0, false);
    const pauseMs = pauseAfter(state?.attempts ?? 0);
    return pauseMs === undefined ? this.#fail(exhaustedError) : this.#release(pauseMs, true);
  }

  async #advance(jobs: JobStore, advance: JobAdvance): Promise<void> {
    const { id, lease } = this.#job;
    if (this.#isLost) throw new LeaseLost(id);
    const rate = advance.rate ?? this.#rate.sample(advance.processed, this.#options.clock.now());
    if (!(await jobs.advance(lease, { ...advance, rate }))) {
      this.#lose();
      throw new LeaseLost(id);
    }
    this.#heartbeat.within(beatAfterAdvanceMs);
  }

  async #extend(): Promise<void> {
    try {
      const held = await this.#options.store.extend(this.#job.lease, this.#options.leaseMs);
      if (held === "lost") this.#lose();
      if (held !== "cancel") return;
      this.#isCanceled = true;
      this.#controller.abort(new JobInterrupted("canceled"));
    } catch (error) {
      this.#log("warn", error, "The lease of a job could not be extended; this is tried again.");
    }
  }

  #lose(): void {
    this.#isLost = true;
    this.#heartbeat.stop();
    this.#controller.abort(new LeaseLost(this.#job.id));
  }

  /** @param end the handler's result for the part that it completed */
  #fail(error: JobError, end?: JobEnd | undefined): Promise<WorkEnd> {
    const isResumable = this.#options.handler?.isResumable === true || (end?.status === "failed" && end.resumable === true);
    return this.#finish({ status: "failed", error, result: end?.result, ...(isResumable && { resumable: true }) });
  }

  async #finish(end: JobEnd): Promise<WorkEnd> {
    const held = await this.#stored(() => this.#options.store.finish(this.#job.lease, end));
    if (!held) return { outcome: "lost" };
    return { outcome: end.status === "failed" && end.error.code === canceledError.code ? "canceled" : end.status };
  }

  async #release(delayMs: number, failed: boolean): Promise<WorkEnd> {
    const held = await this.#stored(() => this.#options.store.release(this.#job.lease, { delayMs, failed }));
    if (!held) return { outcome: "lost" };
    return { outcome: failed ? "retried" : "released" };
  }

  /** Waits for a store that is away, unless the service closes. */
  #stored<R>(store: () => Promise<R>, away?: () => void): Promise<R> {
    return storeEnd(store, { ...this.#options, ...(away && { away }), isOver: () => this.#isClosing || this.#isLost });
  }

  #log(level: "error" | "warn", error: unknown, message: string): void {
    const { id, type, attempts } = this.#job;
    this.#options.logger[level]({ err: error, job: id, type, attempts }, message);
  }
}

/** The error of a job whose handler threw a problem. Its extension `row` is the row that failed, counted from 1. */
function jobErrorOf({ code, message, extensions }: ProblemError): JobError {
  const { row } = extensions;
  return { code, detail: message, ...(isRow(row) && { row }) };
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
