import type { JobError, JobState, JobStatus } from "../storage/jobs.js";

/** Targets relative to the origin, by their relation. */
export interface JobLinks {
  readonly self: string;
  /** While the job can be canceled. */
  readonly cancel?: string | undefined;
  readonly [relation: string]: string | undefined;
}

/** A job on the wire. */
export interface JobDocument {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  /** 0 to 1, at most four decimals; 1 only when the job is completed. */
  readonly progress: number;
  readonly processedRows: number;
  /** `null` while nobody knows. */
  readonly totalRows: number | null;
  readonly estimatedCompletion: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Tries without progress. */
  readonly attempts: number;
  readonly result: unknown;
  readonly error: JobError | null;
  readonly links: JobLinks;
}

/** What stands in a job's body besides its state. */
export interface JobDocumentParts {
  readonly result?: unknown;
  readonly links: JobLinks;
  /** Members of the kind's own; they win over those of all jobs. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether nothing will happen to the job any more. */
export function isFinished({ status }: Pick<JobState, "status">): boolean {
  return status === "completed" || status === "failed";
}

/** The body of a job: the same for the same version of its state, so that a strong tag may stand for it. */
export function jobDocument(state: JobState, { result, links, members = {} }: JobDocumentParts): JobDocument & Readonly<Record<string, unknown>> {
  return {
    id: state.id,
    type: state.type,
    status: state.status,
    progress: progressOf(state),
    processedRows: state.processed,
    totalRows: state.total,
    estimatedCompletion: estimate(state),
    createdAt: state.createdAt.toISOString(),
    startedAt: state.startedAt?.toISOString() ?? null,
    finishedAt: state.finishedAt?.toISOString() ?? null,
    attempts: state.attempts,
    result: result ?? null,
    error: state.error ?? null,
    links,
    ...members,
  };
}

const mostOfIt = 9_999;

/** Rounded down, so that it never says that all is done before it is. */
function progressOf({ status, processed, total }: JobState): number {
  if (status === "completed") return 1;
  if (total === null || total <= 0) return 0;
  return Math.max(0, Math.min(mostOfIt, Math.floor((processed * 10_000) / total))) / 10_000;
}

/** Counted from the last progress: a poller that sees the same version sees the same estimate. */
function estimate({ status, processed, total, rate, advancedAt }: JobState): string | null {
  if (status !== "processing" || total === null || rate === undefined || rate <= 0 || advancedAt === undefined) return null;
  const at = new Date(advancedAt.getTime() + (Math.max(0, total - processed) / rate) * 1_000);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
