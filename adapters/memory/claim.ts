import type { ClaimedJob, ClaimRequest } from "../../src/storage/jobs.js";
import { fromJson, type JobRecord, stateOf } from "./jobRecord.js";
import type { Records } from "./records.js";

/** Gives out leases of the oldest jobs whose time has come, as many as their tenants may have. */
export function claimJobs(jobs: Records<JobRecord>, { types, leaseMs, max, maxPerTenant }: ClaimRequest): readonly ClaimedJob[] {
  const nowMs = jobs.clock.now();
  const open = [...jobs.entries()].flatMap(([, record]) => (record.finishedMs === undefined ? [record] : []));
  const underWay = new Map<string | undefined, number>();
  const add = (tenant: string | undefined) => underWay.set(tenant, (underWay.get(tenant) ?? 0) + 1);
  for (const { held, dueMs, tenant } of open) if (held && dueMs > nowMs) add(tenant);
  const claimed: ClaimedJob[] = [];
  for (const record of open.sort((left, right) => left.createdMs - right.createdMs)) {
    if (claimed.length >= max) break;
    const { tenant, type, dueMs } = record;
    if (dueMs > nowMs || !types.includes(type) || (underWay.get(tenant) ?? 0) >= maxPerTenant) continue;
    add(tenant);
    const given = leased(record, nowMs, leaseMs);
    jobs.put(given.id, given);
    claimed.push(claimedJob(given));
  }
  return claimed;
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
  const { id, fence, input, cursor } = record;
  return { ...stateOf(record), lease: { id, fence }, input: fromJson(input), cursor: fromJson(cursor) };
}
