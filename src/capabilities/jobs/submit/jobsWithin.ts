import type { JobStore } from "../../../ground/storage/queue/jobs.js";
import type { Storage } from "../../../ground/storage/storage.js";

/** The jobs of a transaction, which commit with it. */
export function jobsWithin({ jobs }: Storage): JobStore {
  if (jobs === undefined) throw new Error("The storage keeps jobs, but its transactions do not.");
  return jobs;
}
