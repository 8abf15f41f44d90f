import type { JobEntry, JobError, JobState, JobStatus, NewJob } from "../../src/storage/jobs.js";

/** What became of a job. Instants are milliseconds since the epoch; what callers gave is JSON text, so that it is nobody else's. */
export interface JobRecord {
  readonly id: string;
  readonly type: string;
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly status: JobStatus;
  readonly attempts: number;
  /** Whether the next claim counts a try. */
  readonly tried: boolean;
  /** Of the last lease; 0 before the first. */
  readonly fence: number;
  /** Whether the last lease was given out and neither released nor ended with the job. */
  readonly held: boolean;
  /** When it may be claimed: the end of the lease where it is held. */
  readonly dueMs: number;
  readonly cancelRequested: boolean;
  readonly processed: number;
  readonly total: number | null;
  readonly counts: string;
  readonly rate: number | undefined;
  readonly createdMs: number;
  readonly startedMs: number | undefined;
  readonly advancedMs: number | undefined;
  readonly finishedMs: number | undefined;
  readonly input: string | undefined;
  readonly cursor: string | undefined;
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** Whether it has failed and kept its input and cursor. */
  readonly resumable: boolean;
  /** How often it changed for a client, its creation included. */
  readonly changes: number;
  /** Ascending by position. */
  readonly entries: readonly JobLine[];
}

/** An entry as it is kept. */
export interface JobLine {
  readonly position: number;
  readonly value: string | undefined;
}

/** A job that nobody has begun. */
export function newRecord(job: NewJob, nowMs: number): JobRecord {
  const { id, type, tenant, owner, progress = { processed: 0, total: null, counts: {} } } = job;
  return {
    ...{ id, type, tenant, owner, status: "queued", attempts: 0, tried: false, fence: 0, held: false, dueMs: nowMs, cancelRequested: false },
    ...{ processed: progress.processed, total: progress.total, counts: JSON.stringify(progress.counts), rate: progress.rate },
    ...{ createdMs: nowMs, startedMs: undefined, advancedMs: undefined, finishedMs: undefined },
    ...{ input: toJson(job.input), cursor: toJson(job.cursor), result: undefined, error: undefined, resumable: false, changes: 1 },
    entries: withEntries([], job.entries ?? []),
  };
}

export function stateOf(record: JobRecord): JobState {
  const { id, type, tenant, owner, status, attempts, cancelRequested, processed, total, rate, resumable } = record;
  return {
    ...{ id, type, tenant, owner, status, attempts, cancelRequested, processed, total, rate, resumable },
    counts: JSON.parse(record.counts) as JobState["counts"],
    createdAt: new Date(record.createdMs),
    startedAt: toDate(record.startedMs),
    advancedAt: toDate(record.advancedMs),
    finishedAt: toDate(record.finishedMs),
    result: fromJson(record.result),
    error: fromJson(record.error) as JobError | undefined,
    version: `${record.createdMs}-${record.changes}`,
  };
}

/** The lines with those entries among them whose place is free. */
export function withEntries(lines: readonly JobLine[], entries: readonly JobEntry[]): readonly JobLine[] {
  const [first] = entries;
  if (first === undefined) return lines;
  const isBehind = first.position > (lines.at(-1)?.position ?? Number.NEGATIVE_INFINITY);
  if (isBehind && entries.every(({ position }, index) => index === 0 || position > (entries[index - 1]?.position ?? 0))) {
    return lines.concat(entries.map(({ position, value }) => ({ position, value: toJson(value) })));
  }
  const all = new Map(lines.map((line) => [line.position, line]));
  for (const { position, value } of entries) if (!all.has(position)) all.set(position, { position, value: toJson(value) });
  return [...all.values()].sort((left, right) => left.position - right.position);
}

/** JSON text; `undefined` where there is nothing. */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value) as string | undefined;
}

export function fromJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function toDate(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
