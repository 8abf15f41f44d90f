import type { JobState } from "../../../src/ground/storage/queue/jobs.js";

/** A job that is half done, but for what a test is about. */
export function stateOf(change: Partial<JobState> = {}): JobState {
  return {
    id: "01J",
    type: "batch",
    tenant: undefined,
    owner: "ann",
    status: "processing",
    attempts: 0,
    cancelRequested: false,
    processed: 50,
    total: 100,
    counts: {},
    createdAt: new Date("2026-01-01T00:00:00Z"),
    startedAt: new Date("2026-01-01T00:00:01Z"),
    advancedAt: new Date("2026-01-01T00:00:10Z"),
    finishedAt: undefined,
    result: undefined,
    error: undefined,
    resumable: false,
    version: "v1",
    ...change,
  };
}
