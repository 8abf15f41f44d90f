import type { Timers } from "../http/timers.js";
import type { Clock } from "../operation/clock.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import { retrying } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";
import type { ClaimedJob, JobAdvance, JobEnd, JobError, JobStore } from "../storage/jobs.js";
import { maximumAttempts, pauseAfter } from "./attempts.js";
import type { JobHandler } from "./handler.js";
import { Heartbeat } from "./heartbeat.js";
import { JobInterrupted } from "./interruption.js";
import { canceledError, exhaustedError, jobErrorOf } from "./jobError.js";
import { LeaseLost } from "./leaseLost.js";
import { SmoothedRate } from "./rate.js";

/** What a job needs while it is done. */
export interface RunningJobOptions {
  readonly store: JobStore;
  readonly handler: JobHandler | undefined;
  readonly leaseMs: number;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A chunk has been kept: the lease is extended soon, and a wish to cancel heard of. Not at once, since the transaction of the chunk is still open. */
const beatAfterAdvanceMs = 1_000;

/** What came of a try: an end, or what was thrown. */
type Outcome = { readonly end: JobEnd } | { readonly error: unknown };

/** One try at a claimed job: its lease is extended while the handler runs, and whatever comes of it is kept. */
export class RunningJob {
  /** Resolves when all is written; never rejects. */
  readonly ended: Promise<void>;
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
    this.ended = this.#run().catch((error: unknown) => {
      this.#log("error", error, "What came of a job could not be kept; it is tried again when its lease is over.");
    });
  }

  /** The service closes: the handler is asked to stop. */
  interrupt(): void {
    this.#isClosing = true;
    this.#controller.abort(new JobInterrupted("closing"));
  }

  /** Gives the job back though its handler is not done; nothing of it is kept any more. */
  async abandon(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#heartbeat.stop();
    try {
      await this.#release(0, false);
    } catch (error) {
      this.#log("warn", error, "A job could not be given back; others may take it when its lease is over.");
    }
  }

  async #run(): Promise<void> {
    const { cancelRequested, attempts } = this.#job;
    if (cancelRequested) return this.#fail(canceledError);
    // Tries that ended with their process were never judged by anybody.
    if (attempts >= maximumAttempts) return this.#fail(exhaustedError);
    this.#heartbeat.start();
    const outcome = await this.#perform();
    this.#heartbeat.stop();
    await this.#keep(outcome);
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

  async #keep(outcome: Outcome): Promise<void> {
    const thrown = "error" in outcome ? outcome.error : undefined;
    if (this.#isLost || thrown instanceof LeaseLost) return;
    // What was completed before it heard of the wish stays so.
    if ("end" in outcome && (outcome.end.status === "completed" || !this.#isCanceled)) return this.#finish(outcome.end);
    if (this.#isCanceled) return this.#fail(canceledError, "end" in outcome ? outcome.end : undefined);
    // It would end in the same again.
    if (thrown instanceof ProblemError && thrown.status < 500) return this.#fail(jobErrorOf(thrown));
    if (this.#isClosing) return this.#release(0, false);
    this.#log("error", thrown, "A job failed.");
    await this.#retry();
  }

  /** Only the store knows whether a chunk of this try has been committed, after which the count began anew. */
  async #retry(): Promise<void> {
    const state = await this.#options.store.get(this.#job.id);
    const pauseMs = pauseAfter(state?.attempts ?? 0);
    await (pauseMs === undefined ? this.#fail(exhaustedError) : this.#release(pauseMs, true));
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

  /** @param end what the handler has to say of the part that it did */
  #fail(error: JobError, end?: JobEnd | undefined): Promise<void> {
    const isResumable = this.#options.handler?.isResumable === true || (end?.status === "failed" && end.resumable === true);
    return this.#finish({ status: "failed", error, result: end?.result, ...(isResumable && { resumable: true }) });
  }

  async #finish(end: JobEnd): Promise<void> {
    await retrying(() => this.#options.store.finish(this.#job.lease, end), this.#options);
  }

  async #release(delayMs: number, failed: boolean): Promise<void> {
    await retrying(() => this.#options.store.release(this.#job.lease, { delayMs, failed }), this.#options);
  }

  #log(level: "error" | "warn", error: unknown, message: string): void {
    const { id, type, attempts } = this.#job;
    this.#options.logger[level]({ err: error, job: id, type, attempts }, message);
  }
}
