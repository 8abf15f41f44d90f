import type { ClaimedJob, JobEntry, JobError, JobState, JobStatus } from "../../src/storage/jobs.js";
import type { SqlRow } from "./executor.js";

const stateNames = [
  ...["id", "type", "tenant", "owner", "status", "attempts", "cancel", "processed", "total", "counts", "rate"],
  ...["created", "started", "advanced", "finished", "result", "error", "changes"],
];

/** The columns of the state of a job that has not ended. One that has may also be `resumable`. */
export const stateColumns = stateNames.map((name) => `"${name}"`).join(", ");

/** A job as `stateColumns` give it. */
export function toState(row: SqlRow): JobState {
  return {
    id: String(row["id"]),
    type: String(row["type"]),
    tenant: row["tenant"] === "" ? undefined : String(row["tenant"]),
    owner: String(row["owner"]),
    status: row["status"] as JobStatus,
    attempts: Number(row["attempts"]),
    cancelRequested: Number(row["cancel"]) === 1,
    processed: Number(row["processed"]),
    total: row["total"] === null ? null : Number(row["total"]),
    counts: JSON.parse(String(row["counts"])) as JobState["counts"],
    rate: row["rate"] === null ? undefined : Number(row["rate"]),
    createdAt: new Date(Number(row["created"])),
    startedAt: toDate(row["started"]),
    advancedAt: toDate(row["advanced"]),
    finishedAt: toDate(row["finished"]),
    result: fromJson(row["result"]),
    error: fromJson(row["error"]) as JobError | undefined,
    resumable: Number(row["resumable"] ?? 0) === 1,
    version: `${row["created"]}-${row["changes"]}`,
  };
}

/** A job as a claim answers it. */
export function toClaimed(row: SqlRow): ClaimedJob {
  const state = toState(row);
  return { ...state, lease: { id: state.id, fence: Number(row["fence"]) }, input: fromJson(row["input"]), cursor: fromJson(row["cursor"]) };
}

export function toEntry(row: SqlRow): JobEntry {
  return { position: Number(row["position"]), value: fromJson(row["value"]) };
}

/** JSON text; null where there is nothing. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function fromJson(stored: unknown): unknown {
  return stored === null ? undefined : JSON.parse(String(stored));
}

function toDate(ms: unknown): Date | undefined {
  return ms === null ? undefined : new Date(Number(ms));
}
