import {
  canceledInQueue,
  type JobAdvance,
  type JobEnd,
  type JobEntry,
  type JobLease,
  type JobStore,
  type NewJob,
} from "../../../../src/ground/storage/queue/jobs.js";
import { type Layer, queueWrite } from "../layer.js";
import { claimJobs, firstLaterMs } from "./jobClaim.js";
import { fromJson, type JobRecord, newRecord, stateOf, toJson, withEntries } from "./jobRecord.js";
import { heldGroup, type JobRecords, laterPlace, readyGroup } from "./jobRecords.js";
import { heldBy, releaseClaim, removeEnded, whileHeld } from "./leasedRecords.js";

/** The jobs of one layer. Each method is one synchronous step; methods that write wait for an open transaction. */
export function jobsOver(layer: Layer): JobStore {
  const write = <R>(section: (jobs: JobRecords) => R): Promise<R> => queueWrite(layer, () => section(layer.records.jobs));
  const change = (lease: JobLease, changed: (record: JobRecord, nowMs: number) => JobRecord): Promise<boolean> =>
    write((jobs) => whileHeld(jobs, isHeld, lease, changed));
  return {
    create: (job) =>
      write((jobs) => {
        if (jobs.get(job.id) !== undefined || openWithKey(jobs, job) !== undefined) return false;
        jobs.put(job.id, newRecord(job, jobs.nextNumber(), jobs.clock.now()));
        return true;
      }),
    async get(id) {
      const record = layer.records.jobs.get(id);
      return record && stateOf(record);
    },
    withKey: async (type, tenant, key) => openWithKey(layer.records.jobs, { type, tenant, key })?.id,
    claim: (request) => write((jobs) => claimJobs(jobs, request)),
    unclaim: (claimId) => write((jobs) => releaseClaim(jobs, heldGroup, claimId, (record, nowMs) => released(record, 0, false, nowMs))),
    async laterInMs() {
      const { jobs } = layer.records;
      const dueMs = firstLaterMs(jobs);
      return dueMs === undefined ? undefined : Math.max(0, dueMs - jobs.clock.now());
    },
    extend: (lease, leaseMs) =>
      write((jobs) => {
        const record = heldBy(jobs, isHeld, lease);
        if (record === undefined) return "lost";
        jobs.put(record.id, { ...record, dueMs: jobs.clock.now() + leaseMs });
        return record.cancelRequested ? "cancel" : "held";
      }),
    advance: (lease, advance) => change(lease, (record, nowMs) => advanced(record, advance, nowMs)),
    release: (lease, { delayMs, failed }) => change(lease, (record, nowMs) => released(record, delayMs, failed, nowMs)),
    finish: (lease, end) => change(lease, (record, nowMs) => finished(record, end, nowMs)),
    reopen: (id) => write((jobs) => reopen(jobs, id)),
    cancel: (id) => write((jobs) => cancel(jobs, id)),
    remove: (id) =>
      write((jobs) => {
        const ended = jobs.get(id)?.finishedMs !== undefined;
        if (ended) jobs.delete(id);
        return ended;
      }),
    entries: async (id, after, limit) => entriesOf(layer.records.jobs.get(id), after, limit),
    async countQueued(tenant, types) {
      const queued = [...layer.records.jobs.entries()].filter(([, record]) => record.status === "queued" && record.tenant === tenant);
      return types === undefined ? queued.length : queued.filter(([, { type }]) => types.includes(type)).length;
    },
    async depth(max) {
      let depth = 0;
      for (const [, { finishedMs, held }] of layer.records.jobs.entries()) {
        if (depth === max) break;
        if (finishedMs === undefined && !held) depth += 1;
      }
      return depth;
    },
    sweep: (keepMs, max) => write((jobs) => removeEnded(jobs, ({ finishedMs }) => finishedMs, keepMs, max)),
  };
}

/** The job that waits or runs with the key of a job. */
function openWithKey(jobs: JobRecords, { type, tenant = "", key }: Pick<NewJob, "type" | "tenant" | "key">): JobRecord | undefined {
  if (key === undefined) return undefined;
  const ready = { group: readyGroup(type), queue: tenant, isHeld: false };
  for (const place of [ready, { group: heldGroup, queue: tenant, isHeld: true }, laterPlace]) {
    for (const record of jobs.open(place)) if (record.key === key && record.type === type && (record.tenant ?? "") === tenant) return record;
  }
  return undefined;
}

const isHeld = ({ held }: JobRecord) => held;

function released(record: JobRecord, delayMs: number, failed: boolean, nowMs: number): JobRecord {
  // A canceled job is ready at once, so that its end does not wait for the next try.
  const dueMs = record.cancelRequested || delayMs <= 0 ? 0 : nowMs + delayMs;
  return { ...record, held: false, tried: failed, dueMs };
}

function advanced(record: JobRecord, advance: JobAdvance, nowMs: number): JobRecord {
  const { processed, total, counts, rate, cursor, entries = [], keepsPosition } = advance;
  return {
    ...record,
    ...{ processed, total, counts: JSON.stringify(counts), rate },
    ...(!keepsPosition && { cursor: toJson(cursor), attempts: 0 }),
    entries: withEntries(record.entries, entries),
    advancedMs: nowMs,
    changes: record.changes + 1,
  };
}

/** A job that has ended. Its input and cursor are kept only if it can be reopened. */
function finished(record: JobRecord, end: JobEnd, nowMs: number): JobRecord {
  const failed = end.status === "failed";
  const resumable = failed && end.resumable === true;
  return {
    ...record,
    ...{ status: end.status, result: toJson(end.result), error: failed ? toJson(end.error) : undefined },
    ...{ resumable, input: resumable ? record.input : undefined, cursor: resumable ? record.cursor : undefined },
    ...{ held: false, finishedMs: nowMs, changes: record.changes + 1 },
  };
}

function reopen(jobs: JobRecords, id: string): boolean {
  const record = jobs.get(id);
  if (record === undefined || !record.resumable || openWithKey(jobs, record) !== undefined) return false;
  jobs.put(id, {
    ...record,
    ...{ status: "queued", attempts: 0, tried: false, dueMs: 0, cancelRequested: false },
    ...{ result: undefined, error: undefined, resumable: false, rate: undefined, finishedMs: undefined, changes: record.changes + 1 },
  });
  return true;
}

function cancel(jobs: JobRecords, id: string): "canceled" | "requested" | "finished" | "missing" {
  const record = jobs.get(id);
  if (record === undefined) return "missing";
  if (record.finishedMs !== undefined) return "finished";
  const nowMs = jobs.clock.now();
  if (record.status === "queued") {
    const end: JobEnd = { status: "failed", error: canceledInQueue, ...(record.startedMs !== undefined && { resumable: true }) };
    jobs.put(id, { ...finished(record, end, nowMs), cancelRequested: true });
    return "canceled";
  }
  const dueMs = record.held ? record.dueMs : 0;
  jobs.put(id, { ...record, cancelRequested: true, dueMs, changes: record.changes + 1 });
  return "requested";
}

function entriesOf(record: JobRecord | undefined, after: number, limit: number): readonly JobEntry[] {
  const following = record?.entries.filter(({ position }) => position > after) ?? [];
  return following.slice(0, limit).map(({ position, value }) => ({ position, value: fromJson(value) }));
}
