import { setMaxListeners } from "node:events";
import { shownEntry } from "../batch/keptResult.js";
import { batchJobs } from "../batch/submitBatch.js";
import type { JobHandler } from "../jobs/handler.js";
import type { JobKind } from "../jobs/kind.js";
import { jobOperations } from "../jobs/operations.js";
import { describeResults } from "../jobs/results.js";
import { JobRunner } from "../jobs/runner.js";
import type { JobSettings } from "../jobs/settings.js";
import { principalOf, restoreRequest, type StoredRequest } from "../jobs/storedRequest.js";
import type { Environment } from "../operation/environment.js";
import { ConfigurationError } from "../problem/index.js";
import { type Pipeline, run } from "./handle.js";
import type { ServiceOptions } from "./options.js";
import type { Route } from "./router.js";

const entriesPerPage = 1_000;
const waitingPerTenant = 20;

/** The part of a service that goes on behind its requests. */
export interface JobWork {
  readonly settings: JobSettings;
  /** Begins to look for jobs, once the storage is ready. */
  start(pipeline: Pipeline, others: readonly JobHandler[]): void;
  close(graceMs: number): Promise<void>;
}

/**
 * @returns `undefined` where there are no jobs
 * @throws {ConfigurationError} for jobs that the storage cannot keep
 */
export function jobWork({ jobs = {}, storage }: ServiceOptions): JobWork | undefined {
  if (jobs === false) return undefined;
  const { jobs: store } = storage;
  if (store === undefined) {
    if (Object.keys(jobs).length > 0) throw new ConfigurationError(`The storage "${storage.name}" keeps no jobs.`);
    return undefined;
  }
  const { isAdmin = () => false, maxQueuedPerTenant = waitingPerTenant, work = true, ...runnerOptions } = jobs;
  let runner: JobRunner | undefined;
  const closing = new AbortController();
  // Each open stream listens, and there may be many.
  setMaxListeners(0, closing.signal);
  return {
    settings: { store, isAdmin, maxQueuedPerTenant, wake: () => runner?.wake(), closing: closing.signal },
    start(pipeline, others) {
      if (!work || closing.signal.aborted || runner !== undefined) return;
      runner = new JobRunner({ store, handlers: [batchHandler(pipeline), ...others], ...pipeline.environment, ...runnerOptions });
      runner.start();
    },
    async close(graceMs) {
      closing.abort();
      await runner?.close({ graceMs });
    },
  };
}

/** Paths of jobs. */
export function jobRoutes({ jobs }: Environment): readonly Route[] {
  if (jobs === undefined) return [];
  return jobOperations({ ...batchJobs, settings: jobs, entriesPerPage, describe });
}

const describe: JobKind["describe"] = (state, entries) => describeResults(state, entries.map(shownEntry));

/** A batch goes on as the request that it came with, in the name of its principal: what it may do is asked again. */
function batchHandler(pipeline: Pipeline): JobHandler {
  return {
    type: batchJobs.type,
    async run(job, call) {
      const stored = job.input as StoredRequest;
      const request = restoreRequest(stored, call.signal);
      const inherited = {
        principal: principalOf(stored),
        environment: pipeline.environment,
        operationId: stored.operationId ?? job.id,
        job: { job, call },
      };
      await run(pipeline, request, stored.requestId, pipeline.router.match(request.path), inherited);
      return { status: "completed" };
    },
  };
}
