import type { JobEntry, JobState } from "../../ground/storage/queue/jobs.js";
import type { JobDescription } from "./kind.js";

/** Describes a job whose entries are the results of items, in their order; `counts` contains how many succeeded and failed so far. */
export function describeResults(state: JobState, entries: readonly JobEntry[]): JobDescription {
  if (state.processed === 0 && state.status !== "completed") return { result: null };
  const succeeded = state.counts["succeeded"] ?? 0;
  const failed = state.counts["failed"] ?? 0;
  return { result: { results: entries.map(({ value }) => value), summary: { total: succeeded + failed, succeeded, failed } } };
}
