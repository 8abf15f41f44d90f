import type { ClaimedJob, JobEntry, JobError, JobState, JobStatus } from "../../../../src/ground/storage/queue/jobs.js";
import type { SqlRow } from "../engine/executor.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { toDate, toNumber, toTenant } from "./columns.js";

const stateNames = [
  ...["id", "type", "tenant", "owner", "status", "attempts", "cancel", "processed", "total", "counts", "rate"],
  ...["created", "started", "advanced", "finished", "result", "error", "changes"],
];

/** The columns of the state of a job. Jobs that ended may also have `resumable`. */
export const stateColumns = stateNames.map(quoteIdentifier).join(", ");

/** The state of a job from a row of `stateColumns`. */
export function toState(row: SqlRow): JobState {
  return {
    id: String(row["id"]),
    type: String(row["type"]),
    tenant: toTenant(row["tenant"]),
    owner: String(row["owner"]),
    status: row["status"] as JobStatus,
    attempts: Number(row["attempts"]),
    cancelRequested: Number(row["cancel"]) === 1,
    processed: Number(row["processed"]),
    total: row["total"] === null ? null : Number(row["total"]),
    counts: JSON.parse(String(row["counts"])) as JobState["counts"],
    rate: toNumber(row["rate"]),
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

/** A job from a row of a claim. */
export function toClaimed(row: SqlRow): ClaimedJob {
  const state = toState(row);
  const lease = { id: state.id, fence: Number(row["fence"]) };
  const trace = row["trace"] !== null && { trace: String(row["trace"]) };
  return { ...state, lease, input: fromJson(row["input"]), cursor: fromJson(row["cursor"]), ...trace };
}

export function toEntry(row: SqlRow): JobEntry {
  return { position: Number(row["position"]), value: fromJson(row["value"]) };
}

/** JSON text; null for `undefined`. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function fromJson(stored: unknown): unknown {
  return stored === null ? undefined : JSON.parse(String(stored));
}
