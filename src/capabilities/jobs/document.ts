import type { JobError, JobState, JobStatus } from "../../ground/storage/queue/jobs.js";

/** Targets relative to the origin, by their relation. */
export interface JobLinks {
  readonly self: string;
  /** Present while the job can be canceled. */
  readonly cancel?: string | undefined;
  readonly [relation: string]: string | undefined;
}

/** The JSON document of a job. */
export interface JobDocument {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  /** 0 to 1, at most four decimals; 1 only when the job is completed. */
  readonly progress: number;
  readonly processedRows: number;
  /** `null` while the total is unknown. */
  readonly totalRows: number | null;
  readonly estimatedCompletion: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Consecutive attempts without progress. */
  readonly attempts: number;
  readonly result: unknown;
  readonly error: JobError | null;
  readonly links: JobLinks;
}

/** The parts of a job's document that its state does not contain. */
export interface JobDocumentParts {
  readonly result?: unknown;
  readonly links: JobLinks;
  /** Members that the kind of job adds; they override the common members. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether the job has ended. */
export function isFinished({ status }: Pick<JobState, "status">): boolean {
  return status === "completed" || status === "failed";
}

/** The document of a job. It is the same for the same version of the state, so that the version can be a strong ETag. */
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

/** Progress of a job that is not completed, in ten-thousandths. */
const maxUnfinished = 9_999;

/** Rounded down, so that it is never 1 before the job is completed. */
function progressOf({ status, processed, total }: JobState): number {
  if (status === "completed") return 1;
  if (total === null || total <= 0) return 0;
  return Math.max(0, Math.min(maxUnfinished, Math.floor((processed * 10_000) / total))) / 10_000;
}

/** Computed from the last progress, so that the same version always shows the same estimate. */
function estimate({ status, processed, total, rate, advancedAt }: JobState): string | null {
  if (status !== "processing" || total === null || rate === undefined || rate <= 0 || advancedAt === undefined) return null;
  const at = new Date(advancedAt.getTime() + (Math.max(0, total - processed) / rate) * 1_000);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
