import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { onTestFinished } from "vitest";
import type { JobHandler } from "../../../src/capabilities/jobs/run/handler.js";
import { JobRunner, type JobRunnerOptions } from "../../../src/capabilities/jobs/run/runner.js";
import type { Logger } from "../../../src/engine/operation/logging/logger.js";
import type { JobCall } from "../../../src/engine/operation/work/runningJob.js";
import type { ClaimedJob, JobEnd, JobState, JobStore, NewJob } from "../../../src/ground/storage/queue/jobs.js";

/** What a logger was told. */
export interface Logged {
  readonly level: keyof Logger;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const done: JobEnd = { status: "completed", result: "done" };

/** A store of jobs under a clock that the test turns, and runners on it. */
export class JobStage {
  readonly clock = new FakeClock();
  readonly store: JobStore;
  readonly logged: Logged[] = [];
  readonly logger: Logger;
  #created = 0;

  constructor() {
    const { jobs } = memoryStorage({ clock: this.clock });
    if (jobs === undefined) throw new Error("The memory storage has no jobs.");
    this.store = jobs;
    const log = (level: keyof Logger) => (facts: Logged["facts"], message: string) => void this.logged.push({ level, message, facts });
    this.logger = { error: log("error"), warn: log("warn"), info: log("info"), debug: log("debug") };
  }

  /** Polls every second and not a little sooner or later, unless said otherwise. */
  runner(run: JobHandler["run"] | readonly JobHandler[], options: Partial<JobRunnerOptions> = {}): JobRunner {
    const { clock, store, logger } = this;
    const handlers = typeof run === "function" ? [{ type: "test", run }] : run;
    const runner = new JobRunner({ store, handlers, timers: clock, clock, random: () => 0.5, logger, pollMs: 1_000, ...options });
    onTestFinished(async () => {
      const closing = runner.close({ graceMs: 0 });
      clock.advance(0);
      await closing;
    });
    return runner;
  }

  async create(change: Partial<NewJob> = {}): Promise<string> {
    this.#created += 1;
    const id = change.id ?? `job${this.#created}`;
    await this.store.create({ id, type: "test", tenant: undefined, owner: "ann", input: id, ...change });
    return id;
  }

  async get(id: string): Promise<JobState> {
    const state = await this.store.get(id);
    if (state === undefined) throw new Error(`There is no job ${id}.`);
    return state;
  }

  /** Lets time pass, as slowly as what waits for promises needs. */
  async pass(ms: number, stepMs = 250): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(left, stepMs));
      await settle();
    }
  }
}

/** Lets everything run that waits for nothing but promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A handler whose tries end when the test says so. */
export class HeldHandler {
  readonly tries: { readonly job: ClaimedJob; readonly call: JobCall; end(end?: JobEnd): void; fail(error: unknown): void }[] = [];

  readonly run = (job: ClaimedJob, call: JobCall): Promise<JobEnd> =>
    new Promise((resolve, reject) => {
      this.tries.push({ job, call, end: (end = done) => resolve(end), fail: reject });
    });

  get ids(): readonly string[] {
    return this.tries.map(({ job }) => job.id);
  }

  /** The newest try unless said otherwise. */
  at(index = -1): HeldHandler["tries"][number] {
    const found = this.tries.at(index);
    if (found === undefined) throw new Error("The handler was not called that often.");
    return found;
  }
}
