import type { Timer, Timers } from "../http/timers.js";
import type { Clock } from "../operation/clock.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import { Recurring } from "../operation/recurring.js";
import { retrying } from "../operation/retry.js";
import { ConfigurationError } from "../problem/index.js";
import type { ClaimedJob, JobStore } from "../storage/jobs.js";
import type { JobHandler } from "./handler.js";
import { RunningJob } from "./runningJob.js";

/** What does jobs, and how many at a time. */
export interface JobRunnerOptions {
  readonly store: JobStore;
  readonly handlers: readonly JobHandler[];
  readonly timers: Timers;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Jobs at a time in this process (2). */
  readonly concurrency?: number | undefined;
  /** How often the store is asked for work, in milliseconds, give or take a quarter (5,000). */
  readonly pollMs?: number | undefined;
  /** How long a worker may be silent before another takes its job over, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** Jobs of one tenant that are under way at a time, those of all processes together (2). */
  readonly maxPerTenant?: number | undefined;
  /** How long a job is kept after its end, in milliseconds (7 days). */
  readonly keepMs?: number | undefined;
  /** How often jobs that ended longer ago are removed, in milliseconds (10 minutes). */
  readonly sweepMs?: number | undefined;
}

const defaults = { concurrency: 2, pollMs: 5_000, leaseMs: 60_000, maxPerTenant: 2, keepMs: 7 * 86_400_000, sweepMs: 600_000 } as const;

type Numbers = { readonly [name in keyof typeof defaults]: number };

const sweptAtOnce = 500;

/**
 * Does the jobs of a store. Any number of processes may have one on the same store.
 *
 * @example
 * const runner = new JobRunner({ store, handlers: [batchHandler], timers, random, clock, logger });
 * runner.start();
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #numbers: Numbers;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #running = new Set<RunningJob>();
  readonly #look: Recurring;
  readonly #sweep: Recurring;
  #isStarted = false;
  #closed: Promise<void> | undefined;

  /** @throws {ConfigurationError} for two handlers of one type, and for numbers that are not whole and at least 1 */
  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#numbers = resolveNumbers(options);
    this.#handlers = byType(options.handlers);
    const { timers, random, logger } = options;
    const { pollMs, sweepMs } = this.#numbers;
    const shared = { timers, random, logger };
    this.#look = new Recurring({ ...shared, run: () => this.#claim(), everyMs: pollMs, failing: "The store cannot be asked for jobs." });
    this.#sweep = new Recurring({ ...shared, run: () => this.#removeOld(), everyMs: sweepMs, failing: "Jobs that are over cannot be removed." });
  }

  /** Looks for work at once, and now and then. Does nothing the second time. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#look.now();
    this.#sweep.later();
  }

  /** A job was just created here: looks at once. */
  wake(): void {
    if (this.#isStarted) this.#look.now();
  }

  /**
   * Claims no more jobs, asks those under way to stop, waits for them and gives them back: another worker goes on at their cursors.
   *
   * @param options `graceMs` bounds the waiting; a handler that is not done by then is no longer listened to
   */
  close({ graceMs = 10_000 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#look.stop();
    this.#sweep.stop();
    for (const job of this.#running) job.interrupt();
    await this.#atMost(graceMs, this.#idle());
    await Promise.all([...this.#running].map((job) => job.abandon()));
  }

  /** A claim under way may still bring jobs, which are given back where it ends. */
  async #idle(): Promise<void> {
    await Promise.all([this.#look.idle(), this.#sweep.idle(), ...[...this.#running].map(({ ended }) => ended)]);
  }

  async #atMost(ms: number, waiting: Promise<void>): Promise<void> {
    let timer: Timer | undefined;
    const over = new Promise<void>((resolve) => {
      timer = this.#options.timers.setTimeout(resolve, ms);
    });
    await Promise.race([waiting, over]);
    timer?.cancel();
  }

  async #claim(): Promise<void> {
    const { concurrency, leaseMs, maxPerTenant } = this.#numbers;
    const { store } = this.#options;
    const max = concurrency - this.#running.size;
    if (max <= 0 || this.#handlers.size === 0) return;
    const types = [...this.#handlers.keys()];
    const jobs = await retrying(() => store.claim({ types, leaseMs, max, maxPerTenant }), this.#options);
    if (this.#closed === undefined) for (const job of jobs) this.#begin(job);
    else await Promise.all(jobs.map(({ lease }) => retrying(() => store.release(lease, { delayMs: 0, failed: false }), this.#options)));
  }

  #begin(job: ClaimedJob): void {
    const running = new RunningJob(job, { ...this.#options, leaseMs: this.#numbers.leaseMs, handler: this.#handlers.get(job.type) });
    this.#running.add(running);
    void running.ended.then(() => {
      this.#running.delete(running);
      this.#look.now();
    });
  }

  async #removeOld(): Promise<void> {
    const { store } = this.#options;
    while (this.#closed === undefined && (await store.sweep(this.#numbers.keepMs, sweptAtOnce)) === sweptAtOnce);
  }
}

function byType(handlers: readonly JobHandler[]): ReadonlyMap<string, JobHandler> {
  const types = new Map(handlers.map((handler) => [handler.type, handler]));
  if (types.size === handlers.length) return types;
  throw new ConfigurationError(`Each type of job has one handler; got ${handlers.map(({ type }) => `"${type}"`).join(", ")}.`);
}

function resolveNumbers(options: JobRunnerOptions): Numbers {
  const names = Object.keys(defaults) as (keyof Numbers)[];
  const entries = names.map((name) => {
    const value = options[name] ?? defaults[name];
    if (Number.isSafeInteger(value) && value >= 1) return [name, value];
    throw new ConfigurationError(`"${name}" must be a whole number of at least 1; got ${value}.`);
  });
  return Object.fromEntries(entries) as Numbers;
}
