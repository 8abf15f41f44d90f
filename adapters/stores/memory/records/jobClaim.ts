import type { ClaimedJob, ClaimRequest } from "../../../../src/ground/storage/queue/jobs.js";
import { inTurns } from "../../inTurns.js";
import { smallest } from "../rows/smallest.js";
import { fromJson, type JobRecord, stateOf } from "./jobRecord.js";
import { heldGroup, type JobRecords, laterPlace, readyGroup } from "./jobRecords.js";

/** Jobs that wait for their time and are made ready by one claim, at most. */
const readyAtOnce = 200;

/** A tenant with ready jobs. */
interface Waiting {
  readonly tenant: string;
  /** Its oldest one. */
  readonly oldest: JobRecord;
  /** How many jobs of the tenant are in progress. */
  readonly live: number;
}

/** Leases jobs that are due: the oldest of each tenant that has none in progress, from one tenant to the next, then the oldest ones within the limit per tenant. */
export function claimJobs(jobs: JobRecords, { types, leaseMs, max, maxPerTenant, after, claimId }: ClaimRequest): readonly ClaimedJob[] {
  const nowMs = jobs.clock.now();
  makeReady(jobs, nowMs);
  const waiting = waitingTenants(jobs, types, nowMs);
  const free = waiting.filter(({ live }) => live === 0);
  // Tenants after the given one come first, then the walk begins again.
  const lapOf = (tenant: string) => (after === undefined || tenant > (after.tenant ?? "") ? 0 : 1);
  const inLaps = (left: Waiting, right: Waiting) => lapOf(left.tenant) - lapOf(right.tenant) || (left.tenant < right.tenant ? -1 : 1);
  const turns = maxPerTenant < 1 ? [] : smallest(free, inLaps, max).map(({ oldest }) => oldest);
  const chosen = turns.length < max ? [...turns, ...others(jobs, { types, max, maxPerTenant }, waiting, turns)] : turns;
  return inTurns(chosen.sort(byNumber), after).map((record) => {
    const given = { ...leased(record, nowMs, leaseMs), claimId };
    jobs.put(given.id, given);
    return claimedJob(given);
  });
}

/** So that all jobs in the queues of ready ones are due, and a claim does not search for them among others. */
function makeReady(jobs: JobRecords, nowMs: number): void {
  const due = dueOf(jobs.open(laterPlace), nowMs, readyAtOnce);
  for (const queue of jobs.queues(heldGroup)) {
    due.push(...dueOf(jobs.open({ group: heldGroup, queue, isHeld: true }), nowMs, readyAtOnce));
  }
  for (const record of due) jobs.put(record.id, { ...record, dueMs: 0 });
}

/** When the first job that waits for its time, or the end of a lease, is due; `undefined` if there is none. */
export function firstLaterMs(jobs: JobRecords): number | undefined {
  const held = [...jobs.queues(heldGroup)].map((queue) => jobs.open({ group: heldGroup, queue, isHeld: true }));
  const first = [jobs.open(laterPlace), ...held].flatMap((records) => [...dueOf(records, Number.POSITIVE_INFINITY, 1)]);
  return first.length === 0 ? undefined : Math.min(...first.map(({ dueMs }) => dueMs));
}

function dueOf(records: Iterable<JobRecord>, nowMs: number, max: number): JobRecord[] {
  const due: JobRecord[] = [];
  for (const record of records) {
    if (record.dueMs > nowMs || due.length >= max) break;
    due.push(record);
  }
  return due;
}

function waitingTenants(jobs: JobRecords, types: readonly string[], nowMs: number): readonly Waiting[] {
  const tenants = new Set(types.flatMap((type) => [...jobs.queues(readyGroup(type))]));
  return [...tenants].flatMap((tenant) => {
    const [oldest] = readyOf(jobs, types, tenant, 1);
    return oldest === undefined ? [] : [{ tenant, oldest, live: liveOf(jobs, tenant, nowMs) }];
  });
}

/** The oldest ready jobs of a tenant. */
function readyOf(jobs: JobRecords, types: readonly string[], tenant: string, max: number): readonly JobRecord[] {
  const found: JobRecord[] = [];
  for (const type of types) {
    let taken = 0;
    for (const record of jobs.open({ group: readyGroup(type), queue: tenant, isHeld: false })) {
      if (taken >= max) break;
      found.push(record);
      taken += 1;
    }
  }
  return found.sort(byNumber).slice(0, max);
}

function liveOf(jobs: JobRecords, tenant: string, nowMs: number): number {
  let live = 0;
  for (const { dueMs } of jobs.open({ group: heldGroup, queue: tenant, isHeld: true })) if (dueMs > nowMs) live += 1;
  return live;
}

/** The oldest jobs that are no turns, within the limit per tenant. */
function others(
  jobs: JobRecords,
  { types, max, maxPerTenant }: Pick<ClaimRequest, "types" | "max" | "maxPerTenant">,
  waiting: readonly Waiting[],
  turns: readonly JobRecord[],
): readonly JobRecord[] {
  const taken = new Set(turns);
  const within = waiting.flatMap(({ tenant, live }) => readyOf(jobs, types, tenant, Math.min(maxPerTenant - live, max)));
  const rest = within.filter((record) => !taken.has(record));
  return smallest(rest, byNumber, max - turns.length);
}

function byNumber(left: JobRecord, right: JobRecord): number {
  return left.number - right.number;
}

function leased(record: JobRecord, nowMs: number, leaseMs: number): JobRecord {
  return {
    ...record,
    status: "processing",
    attempts: record.attempts + (record.tried ? 1 : 0),
    tried: true,
    fence: record.fence + 1,
    held: true,
    dueMs: nowMs + leaseMs,
    startedMs: record.startedMs ?? nowMs,
    changes: record.changes + 1,
  };
}

function claimedJob(record: JobRecord): ClaimedJob {
  const { id, fence, input, cursor, trace } = record;
  return { ...stateOf(record), lease: { id, fence }, input: fromJson(input), cursor: fromJson(cursor), ...(trace !== undefined && { trace }) };
}
