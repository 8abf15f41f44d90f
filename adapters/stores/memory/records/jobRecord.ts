import type { JobEntry, JobError, JobState, JobStatus, NewJob } from "../../../../src/ground/storage/queue/jobs.js";
import type { LeasedRecord } from "./leasedRecords.js";

/** A stored job. Times are milliseconds since the epoch. Values of callers are JSON text, so that later changes do not affect them. */
export interface JobRecord extends LeasedRecord {
  readonly type: string;
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly status: JobStatus;
  readonly attempts: number;
  /** Whether the next claim counts an attempt. */
  readonly tried: boolean;
  /** Whether there is a lease that was not released, on a job that has not ended. */
  readonly held: boolean;
  /** 0 if it is ready; otherwise when it can be claimed, or the end of the lease. */
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
  readonly trace: string | undefined;
  readonly key: string | undefined;
  readonly cursor: string | undefined;
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** Whether it failed and its input and cursor were kept. */
  readonly resumable: boolean;
  /** How often the state that clients see changed, including the creation. */
  readonly changes: number;
  /** In the order of their positions. */
  readonly entries: readonly JobLine[];
}

/** A stored entry. */
export interface JobLine {
  readonly position: number;
  readonly value: string | undefined;
}

/** A new queued job. */
export function newRecord(job: NewJob, number: number, nowMs: number): JobRecord {
  const { id, type, tenant, owner, progress = { processed: 0, total: null, counts: {} } } = job;
  return {
    ...{
      id,
      number,
      type,
      tenant,
      owner,
      status: "queued",
      attempts: 0,
      tried: false,
      fence: 0,
      held: false,
      dueMs: job.dueAt === undefined || job.dueAt.getTime() <= nowMs ? 0 : job.dueAt.getTime(),
      claimId: undefined,
      cancelRequested: false,
    },
    ...{ processed: progress.processed, total: progress.total, counts: JSON.stringify(progress.counts), rate: progress.rate },
    ...{ createdMs: nowMs, startedMs: undefined, advancedMs: undefined, finishedMs: undefined },
    ...{ trace: job.trace, key: job.key },
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

/** Adds the entries whose positions are free to the lines. */
export function withEntries(lines: readonly JobLine[], entries: readonly JobEntry[]): readonly JobLine[] {
  const [first] = entries;
  if (first === undefined) return lines;
  const isAfterAll = first.position > (lines.at(-1)?.position ?? Number.NEGATIVE_INFINITY);
  if (isAfterAll && entries.every(({ position }, index) => index === 0 || position > (entries[index - 1]?.position ?? 0))) {
    return lines.concat(entries.map(({ position, value }) => ({ position, value: toJson(value) })));
  }
  const all = new Map(lines.map((line) => [line.position, line]));
  for (const { position, value } of entries) if (!all.has(position)) all.set(position, { position, value: toJson(value) });
  return [...all.values()].sort((left, right) => left.position - right.position);
}

/** JSON text; `undefined` for `undefined`. */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value) as string | undefined;
}

export function fromJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function toDate(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}
