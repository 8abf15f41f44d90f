import type { Host } from "../../../engine/capability/host.js";
import type { EnqueuedJob, EnqueueOptions } from "../../../engine/operation/work/enqueuing.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import type { JobState } from "../../../ground/storage/queue/jobs.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import type { JobSettings } from "../settings.js";
import type { JobDefinitions, JobInput } from "./definition.js";

/** The jobs of a service, of all tenants and processes: those of handlers, and batches, imports, exports and recoveries. */
export interface ServiceJobs<Handlers extends JobDefinitions = JobDefinitions> {
  /**
   * Creates a job of one of the handlers. Within a transaction, a hook or an action, call `tx.jobs.enqueue`.
   *
   * @returns its id, or that of the job that waits or runs with its key
   * @throws {ProblemError} VALIDATION_FAILED, SHUTTING_DOWN
   * @throws {ConfigurationError} for an unknown name or option, for input that JSON does not keep, and for a key or time on a storage that keeps none
   * @example
   * const { id } = await service.jobs.enqueue("nightly", { day: "2026-03-01" }, { key: "2026-03-01" });
   */
  enqueue<Name extends keyof Handlers & string>(name: Name, ...given: EnqueueArguments<JobInput<Handlers[Name]>>): Promise<EnqueuedJob>;
  /** `undefined` if the job does not exist, or was removed. */
  get(id: string): Promise<JobState | undefined>;
  /**
   * Cancels a job. One that waits has failed with the code `CANCELLED`; the worker of one that runs is told.
   *
   * @returns `false` if it has ended or does not exist
   */
  cancel(id: string): Promise<boolean>;
  /**
   * Queues a failed job again, which goes on at its last position.
   *
   * @returns `false` if it has not failed, has nothing to go on with, or another one with its key waits or runs
   */
  retry(id: string): Promise<boolean>;
}

type EnqueueArguments<Input> = undefined extends Input ? [input?: Input, options?: EnqueueOptions] : [input: Input, options?: EnqueueOptions];

/** A schedule, and when it comes next. */
export interface ScheduleState {
  readonly name: string;
  readonly cron: string;
  readonly zone: string;
  /** The name of the handler. */
  readonly job: string;
  /** `undefined` if it has no further time. */
  readonly next: Date | undefined;
}

/** The schedules of a service. */
export interface ServiceSchedules {
  list(): Promise<readonly ScheduleState[]>;
}

/** What `jobs()` adds to a service. */
export interface JobApi<Handlers extends JobDefinitions = JobDefinitions> {
  readonly jobs: ServiceJobs<Handlers>;
  readonly schedules: ServiceSchedules;
}

/** The jobs of a service, for the developer's code. */
export function serviceJobs(settings: JobSettings, host: Host, enqueue: ServiceJobs["enqueue"]): ServiceJobs {
  const { store } = settings;
  return {
    enqueue,
    get: async (id) => (isStorable(id) ? started(host, () => store.get(id)) : undefined),
    async cancel(id) {
      if (!isStorable(id)) return false;
      const canceled = await started(host, () => store.cancel(id));
      // A job that waits for its next attempt is due now: its end is recorded by a worker.
      if (canceled === "requested") settings.wake();
      return canceled === "canceled" || canceled === "requested";
    },
    async retry(id) {
      if (!isStorable(id)) return false;
      const isQueued = await started(host, () => store.reopen(id));
      if (isQueued) settings.wake();
      return isQueued;
    },
  };
}

async function started<R>(host: Host, run: () => Promise<R>): Promise<R> {
  await host.started();
  return retrying(run, host.environment);
}
