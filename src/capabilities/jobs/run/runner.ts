import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { Random } from "../../../engine/operation/random.js";
import { LeasedWorker } from "../../../engine/operation/work/leasedWorker.js";
import type { WorkObserver } from "../../../engine/operation/work/observer.js";
import type { WorkerWakeups } from "../../../engine/operation/work/workerWakeups.js";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Timers } from "../../../ground/http/timers.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { ClaimedJob, ClaimRequest, JobStore } from "../../../ground/storage/queue/jobs.js";
import type { JobHandler } from "./handler.js";
import { RunningJob } from "./runningJob.js";

/** Options of a job runner. */
export interface JobRunnerOptions {
  readonly store: JobStore;
  readonly handlers: readonly JobHandler[];
  readonly timers: Timers;
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Observes each attempt. */
  readonly observer?: WorkObserver | undefined;
  /** Tells other processes of jobs. */
  readonly wakeups?: WorkerWakeups | undefined;
  /** Jobs that run concurrently in this process (`maxPerTenant` + 2). */
  readonly concurrency?: number | undefined;
  /** Interval of polling the store for jobs, in milliseconds, varied by up to 25 % (5,000, or 30,000 while wake-ups arrive). */
  readonly pollMs?: number | undefined;
  /** Time without a heartbeat after which another worker takes over a job, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** Jobs of one tenant that run concurrently in all processes together (2). */
  readonly maxPerTenant?: number | undefined;
  /** How long a job is kept after its end, in milliseconds (7 days). */
  readonly keepMs?: number | undefined;
  /** Interval of removing jobs that ended more than `keepMs` ago, in milliseconds (10 minutes). */
  readonly sweepMs?: number | undefined;
}

const defaults = { pollMs: 5_000, leaseMs: 60_000, maxPerTenant: 2, keepMs: 7 * 86_400_000, sweepMs: 600_000 } as const;

type Numbers = { readonly [name in keyof typeof defaults | "concurrency"]: number };

const sweptAtOnce = 500;

/**
 * Runs the jobs of a store. Any number of processes may run one on the same store. `close` interrupts running jobs, waits for them and releases them, so that
 * another worker continues at their cursors; the result of a handler that has not ended by then is ignored.
 *
 * @example
 * const runner = new JobRunner({ store, handlers: [batchHandler], timers, random, clock, logger });
 * runner.start();
 */
export class JobRunner extends LeasedWorker<ClaimedJob, RunningJob> {
  /** @throws {ConfigurationError} for two handlers of one type, and for numbers that are not integers of at least 1 */
  constructor(options: JobRunnerOptions) {
    const { store, timers, random, logger, wakeups } = options;
    const { concurrency, pollMs, leaseMs, maxPerTenant, keepMs, sweepMs } = resolveNumbers(options);
    const handlers = byType(options.handlers);
    const types = [...handlers.keys()];
    let last: ClaimRequest["after"];
    super({
      ...{ timers, random, logger, wakeups, sweepMs, sweptAtOnce, topics: ["jobs"], noun: "jobs" },
      // Without the time at which they are due, jobs that wait for it are found by polls only.
      pollMs: () => (store.laterInMs === undefined ? pollMs : (wakeups?.pollMs(options.pollMs) ?? pollMs)),
      room: () => (types.length === 0 ? 0 : concurrency - this.inFlight.size),
      async claim(max, claimId) {
        const claimed = await store.claim({ types, leaseMs, max, maxPerTenant, after: last, claimId });
        last = claimed.at(-1) ?? last;
        return claimed;
      },
      begin: (job) => new RunningJob(job, { ...options, leaseMs, handler: handlers.get(job.type) }),
      giveBack: ({ lease }) => store.release(lease, { delayMs: 0, failed: false }),
      unclaim: store.unclaim?.bind(store),
      laterInMs: store.laterInMs?.bind(store),
      recover: store.recover?.bind(store),
      sweep: () => store.sweep(keepMs, sweptAtOnce),
      interrupt: () => {
        for (const job of this.inFlight) job.interrupt();
      },
      cutOff: () => Promise.all([...this.inFlight].map((job) => job.abandon())),
    });
  }
}

function byType(handlers: readonly JobHandler[]): ReadonlyMap<string, JobHandler> {
  const types = new Map(handlers.map((handler) => [handler.type, handler]));
  if (types.size === handlers.length) return types;
  throw new ConfigurationError(`Each type of job has one handler; got ${handlers.map(({ type }) => `"${type}"`).join(", ")}.`);
}

function resolveNumbers(options: JobRunnerOptions): Numbers {
  // More than one tenant may use, so that jobs of hours leave room for other tenants.
  const filled = { ...defaults, concurrency: (options.maxPerTenant ?? defaults.maxPerTenant) + 2 };
  const names = Object.keys(filled) as (keyof Numbers)[];
  const entries = names.map((name) => {
    const value = options[name] ?? filled[name];
    if (Number.isSafeInteger(value) && value >= 1) return [name, value];
    throw new ConfigurationError(`"${name}" must be a whole number of at least 1; got ${value}.`);
  });
  return Object.fromEntries(entries) as Numbers;
}
