import {
  canceledInQueue,
  type JobAdvance,
  type JobEnd,
  type JobEntry,
  type JobLease,
  type NewJob,
} from "../../../../src/ground/storage/queue/jobs.js";
import { Bindings, write } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";
import { jsonRows } from "../query/jsonRows.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { stateColumns, toJson } from "./jobRow.js";
import { heldBy, inMs, leasedJobs } from "./queue/leases.js";

const changed = `"changes" = "changes" + 1`;

export function insertJob(dialect: Dialect, job: NewJob): SqlStatement {
  const bindings = new Bindings(dialect);
  const { processed = 0, total = null, counts = {}, rate = null } = job.progress ?? {};
  const text = [job.id, job.type, job.tenant ?? "", job.owner, JSON.stringify(counts), toJson(job.cursor), job.trace ?? null].map((value) =>
    bindings.bind(value),
  );
  const key = bindings.bind(job.key ?? null);
  const dueMs = job.dueAt === undefined ? "0" : `cast(${bindings.bind(Math.max(0, job.dueAt.getTime()))} as bigint)`;
  const amounts = [`cast(${bindings.bind(processed)} as bigint)`, `cast(${bindings.bind(total)} as bigint)`, double(bindings, rate)];
  const names = `"id", "type", "tenant", "owner", "counts", "cursor", "trace", "key", "due", "processed", "total", "rate"`;
  const fixed = `"status", "attempts", "tried", "fence", "held", "cancel", "created", "changes"`;
  const values = [...text, key, dueMs, ...amounts, "'queued'", "0", "0", "0", "0", "0", dialect.now, "1"].join(", ");
  // Without a target: the id may be taken, and the key of a job that waits or runs.
  return write(`insert into ${dialect.place.own.jobs} (${names}, ${fixed}) values (${values}) on conflict do nothing`, bindings);
}

/** Selects the job of a type and a tenant that waits or runs with a key. */
export function selectWithKey(dialect: Dialect, type: string, tenant: string | undefined, key: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const [ofType, ofTenant, ofKey] = [type, tenant ?? "", key].map((value) => bindings.bind(value));
  const where = `"type" = ${ofType} and "tenant" = ${ofTenant} and "key" = ${ofKey} and "finished" is null`;
  return { text: `select "id" from ${dialect.place.own.jobs} where ${where}`, values: bindings.values, writes: false, returns: "one" };
}

export function selectJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const resumable = `case when "status" = 'failed' then (select count(*) from ${dialect.place.own.jobInputs} where "job" = "id") else 0 end as "resumable"`;
  const text = `select ${stateColumns}, ${resumable} from ${dialect.place.own.jobs} where "id" = ${bindings.bind(id)}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function extendLease(dialect: Dialect, lease: JobLease, leaseMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `update ${dialect.place.own.jobs} set "due" = ${inMs(leaseMs, bindings)} where ${heldBy(leasedJobs, lease, bindings)} returning "cancel"`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function advanceJob(dialect: Dialect, lease: JobLease, advance: JobAdvance): SqlStatement {
  const { processed, total, counts, rate, cursor, keepsPosition } = advance;
  const bindings = new Bindings(dialect);
  const assignments = [
    `"processed" = cast(${bindings.bind(processed)} as bigint)`,
    `"total" = cast(${bindings.bind(total)} as bigint)`,
    `"counts" = ${bindings.bind(JSON.stringify(counts))}`,
    `"rate" = ${double(bindings, rate ?? null)}`,
    ...(keepsPosition ? [] : [`"cursor" = ${bindings.bind(toJson(cursor))}`, `"attempts" = 0`]),
    `"advanced" = ${dialect.now}, ${changed}`,
  ];
  return write(`update ${dialect.place.own.jobs} set ${assignments.join(", ")} where ${heldBy(leasedJobs, lease, bindings)}`, bindings);
}

/** Gives the lease back. A canceled job is ready at once, so that its end does not wait for the next try. */
export function releaseJob(dialect: Dialect, lease: JobLease, delayMs: number, failed: boolean): SqlStatement {
  const bindings = new Bindings(dialect);
  const due = delayMs <= 0 ? "0" : `case when "cancel" = 1 then 0 else ${inMs(delayMs, bindings)} end`;
  return write(
    `update ${dialect.place.own.jobs} set "due" = ${due}, "held" = 0, "tried" = ${failed ? 1 : 0} where ${heldBy(leasedJobs, lease, bindings)}`,
    bindings,
  );
}

export function finishJob(dialect: Dialect, lease: JobLease, end: JobEnd): SqlStatement {
  const bindings = new Bindings(dialect);
  const given = { status: end.status, result: toJson(end.result), error: end.status === "failed" ? toJson(end.error) : null };
  const assignments = Object.entries(given).map(([name, value]) => `${quoteIdentifier(name)} = ${bindings.bind(value)}`);
  if (!isResumable(end)) assignments.push(`"cursor" = null`);
  const ended = `"held" = 0, "finished" = ${dialect.now}, ${changed}`;
  return write(`update ${dialect.place.own.jobs} set ${assignments.join(", ")}, ${ended} where ${heldBy(leasedJobs, lease, bindings)}`, bindings);
}

/** Whether the input and the cursor of a job are kept after its end. */
export function isResumable(end: JobEnd): boolean {
  return end.status === "failed" && end.resumable === true;
}

/** Locks a failed job until the transaction ends. */
export function lockFailedJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`update ${dialect.place.own.jobs} set "held" = 0 where "id" = ${bindings.bind(id)} and "status" = 'failed'`, bindings);
}

/** Queues a failed job again if its input was kept. */
export function reopenJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = [
    `"status" = 'queued', "attempts" = 0, "tried" = 0, "due" = 0, "cancel" = 0`,
    `"result" = null, "error" = null, "rate" = null, "finished" = null, ${changed}`,
  ];
  const { jobs, jobInputs } = dialect.place.own;
  const kept = `exists (select 1 from ${jobInputs} where "job" = "id")`;
  const same = ["type", "tenant", "key"].map((name) => `other."${name}" = again."${name}"`).join(" and ");
  const isFree = `not exists (select 1 from ${jobs} as other where ${same} and other."finished" is null)`;
  return write(
    `update ${jobs} as again set ${assignments.join(", ")} where "id" = ${bindings.bind(id)} and "status" = 'failed' and ${kept} and ${isFree}`,
    bindings,
  );
}

/** Cancels a queued job, or requests the cancellation of a running one. Returns the new status and when the job started. */
export function cancelJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const queued = (then: string, otherwise: string) => `case when "status" = 'queued' then ${then} else ${otherwise} end`;
  const assignments = [
    `"error" = ${queued(`cast(${bindings.bind(JSON.stringify(canceledInQueue))} as text)`, `"error"`)}`,
    `"finished" = ${queued(dialect.now, "null")}`,
    `"cursor" = ${queued(`case when "started" is null then null else "cursor" end`, `"cursor"`)}`,
    `"status" = ${queued("'failed'", `"status"`)}`,
    `"due" = case when "held" = 1 then "due" else 0 end`,
    `"cancel" = 1, ${changed}`,
  ];
  const text = `update ${dialect.place.own.jobs} set ${assignments.join(", ")} where "id" = ${bindings.bind(id)} and "finished" is null returning "status", "started"`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function removeJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${dialect.place.own.jobs} where "id" = ${bindings.bind(id)} and "finished" is not null`, bindings);
}

export function countQueuedJobs(dialect: Dialect, tenant: string | undefined, types: readonly string[] | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const ofTenant = `"tenant" = ${bindings.bind(tenant ?? "")} and "finished" is null and "status" = 'queued'`;
  const where = types === undefined ? ofTenant : `${ofTenant} and "type" in (${dialect.list("text", bindings.bind(JSON.stringify(types)))})`;
  return {
    text: `select count(*) as "queued" from ${dialect.place.own.jobs} where ${where}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

/** Counts jobs that wait for a worker, at most `max`. */
export function countWaitingJobs(dialect: Dialect, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const waiting = `select 1 from ${dialect.place.own.jobs} where "finished" is null and "held" = 0 limit ${bindings.bind(max)}`;
  return { text: `select count(*) as "waiting" from (${waiting}) as waiting`, values: bindings.values, writes: false, returns: "one" };
}

export function insertInput(dialect: Dialect, { id, input }: NewJob): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `insert into ${dialect.place.own.jobInputs} ("job", "input") values (${bindings.bind(id)}, ${bindings.bind(toJson(input))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Inserts entries, all as one parameter. Existing entries stay unchanged. */
export function insertEntries(dialect: Dialect, id: string, given: readonly JobEntry[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const job = `cast(${bindings.bind(id)} as text)`;
  const { source, names, order } = jsonRows(bindings, [
    { kind: "int", values: given.map(({ position }) => position) },
    { kind: "text", values: given.map(({ value }) => toJson(value)) },
  ]);
  // Without the "where", SQLite would parse "on conflict" as the condition of a join.
  const select = `select ${job}, ${names.join(", ")} from ${source} where true order by ${order}`;
  const text = `insert into ${dialect.place.own.jobEntries} ("job", "position", "value") ${select} on conflict ("job", "position") do nothing`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

export function selectEntries(dialect: Dialect, id: string, after: number, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"job" = ${bindings.bind(id)} and "position" > cast(${bindings.bind(after)} as bigint)`;
  const text = `select "position", "value" from ${dialect.place.own.jobEntries} where ${where} order by "position" limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

/** Deletes the inputs of jobs. */
export function deleteInputs(dialect: Dialect, ids: readonly string[]): SqlStatement {
  return deleteOf(dialect, dialect.place.own.jobInputs, ids);
}

/** Deletes the inputs and the entries of jobs. */
export function deleteParts(dialect: Dialect, ids: readonly string[]): readonly SqlStatement[] {
  return [dialect.place.own.jobInputs, dialect.place.own.jobEntries].map((table) => deleteOf(dialect, table, ids));
}

function deleteOf(dialect: Dialect, table: string, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${table} where "job" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

function double(bindings: Bindings, value: number | null): string {
  return `cast(${bindings.bind(value)} as double precision)`;
}
