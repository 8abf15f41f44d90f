import { ProblemError } from "../problem/index.js";
import type { JobState, JobStore, NewJob } from "../storage/jobs.js";
import type { JobSettings } from "./settings.js";

const retryAfterSeconds = 10;

/**
 * Creates a job and wakes a worker; a job with that id that is there already stays as it is.
 *
 * The bound on waiting jobs is looked up before the job is created: requests at the same instant may pass it by their number.
 *
 * @param jobs that of a transaction, where the job commits with something else; the caller then wakes once more after the commit
 * @param options `isBegun`: a part of it was done before it became a job, so that there has to be room
 * @returns the job as it stands
 * @throws {ProblemError} TOO_MANY_JOBS where the tenant has as many waiting as it may
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
  await jobs.create(job);
  const state = await jobs.get(job.id);
  if (state === undefined) throw new Error(`The job "${job.id}" was created, but the store does not have it.`);
  settings.wake();
  return state;
}

/** @throws {ProblemError} TOO_MANY_JOBS where the tenant has as many waiting as it may */
export async function requireRoom({ maxQueuedPerTenant }: JobSettings, tenant: string | undefined, jobs: JobStore): Promise<void> {
  if ((await jobs.countQueued(tenant)) < maxQueuedPerTenant) return;
  throw new ProblemError("TOO_MANY_JOBS", `${maxQueuedPerTenant} jobs are waiting already, which is as many as may.`, {
    headers: { "retry-after": String(retryAfterSeconds) },
    extensions: { maximum: maxQueuedPerTenant },
  });
}
