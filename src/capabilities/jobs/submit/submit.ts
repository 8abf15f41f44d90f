import { errorOfWrite, outcomeUnknown } from "../../../engine/operation/transaction/outcomeUnknown.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { Unavailable } from "../../../ground/storage/errors.js";
import type { JobState, JobStore, NewJob } from "../../../ground/storage/queue/jobs.js";
import type { JobSettings } from "../settings.js";

const retryAfterSeconds = 10;

/**
 * Creates a job and wakes the workers; an existing job with that id is not changed.
 *
 * The limit of waiting jobs is checked before the job is created: concurrent requests may exceed it by their number.
 *
 * @param jobs the job store of a transaction, if the job commits with other writes; the caller then wakes the workers after the commit
 * @param options `isBegun`: a part was completed before it became a job, so the limit is not checked
 * @returns the current state of the job
 * @throws {ProblemError} TOO_MANY_JOBS where the tenant has as many waiting as it may
 * @throws {Unavailable} if the store broke off, so that the job may exist
 */
export async function submitJob(
  settings: JobSettings,
  job: NewJob,
  jobs: JobStore = settings.store,
  { isBegun = false }: { readonly isBegun?: boolean } = {},
): Promise<JobState> {
  const known = await jobs.get(job.id);
  if (known !== undefined) return known;
  if (!isBegun) await requireRoom(settings, job.tenant, jobs);
  // What fails within a transaction is rolled back with it.
  const isAlone = jobs === settings.store;
  await jobs.create({ ...job, trace: settings.trace?.() }).catch((error: unknown) => {
    throw isAlone ? errorOfWrite(error) : error;
  });
  const state = await jobs.get(job.id).catch((error: unknown) => {
    throw isAlone && error instanceof Unavailable ? outcomeUnknown(error) : error;
  });
  if (state === undefined) throw new Error(`The job "${job.id}" was created, but the store does not have it.`);
  if (isAlone) settings.wake();
  return state;
}

/** @throws {ProblemError} TOO_MANY_JOBS where the tenant has as many waiting as it may */
export async function requireRoom({ maxQueuedPerTenant, requestTypes }: JobSettings, tenant: string | undefined, jobs: JobStore): Promise<void> {
  if ((await jobs.countQueued(tenant, requestTypes())) < maxQueuedPerTenant) return;
  throw new ProblemError("TOO_MANY_JOBS", `${maxQueuedPerTenant} jobs are waiting already, which is as many as may.`, {
    headers: { "retry-after": String(retryAfterSeconds) },
    extensions: { maximum: maxQueuedPerTenant },
  });
}
