import { canceledInQueue, type JobAdvance, type JobEnd, type JobLease, type NewJob } from "../../src/storage/jobs.js";
import { Bindings } from "./bindings.js";
import { now } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { stateColumns, toJson } from "./jobRow.js";
import { jobTables } from "./jobTables.js";

const { inputs, jobs } = jobTables;
const changed = `"changes" = "changes" + 1`;

export function insertJob(dialect: Dialect, job: NewJob): SqlStatement {
  const bindings = new Bindings(dialect);
  const { processed = 0, total = null, counts = {}, rate = null } = job.progress ?? {};
  const text = [job.id, job.type, job.tenant ?? "", job.owner, JSON.stringify(counts), toJson(job.cursor)].map((value) => bindings.bind(value));
  const amounts = [`cast(${bindings.bind(processed)} as bigint)`, `cast(${bindings.bind(total)} as bigint)`, double(bindings, rate)];
  const names = `"id", "type", "tenant", "owner", "counts", "cursor", "processed", "total", "rate"`;
  const fixed = `"status", "attempts", "tried", "fence", "held", "due", "cancel", "created", "changes"`;
  const values = [...text, ...amounts, "'queued'", "0", "0", "0", "0", "0", "0", now[dialect.name], "1"].join(", ");
  return write(`insert into ${jobs} (${names}, ${fixed}) values (${values}) on conflict ("id") do nothing`, bindings);
}

export function selectJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const resumable = `case when "status" = 'failed' then (select count(*) from ${inputs} where "job" = "id") else 0 end as "resumable"`;
  const text = `select ${stateColumns}, ${resumable} from ${jobs} where "id" = ${bindings.bind(id)}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function extendLease(dialect: Dialect, lease: JobLease, leaseMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `update ${jobs} set "due" = ${after(dialect, bindings, leaseMs)} where ${heldBy(lease, bindings)} returning "cancel"`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function advanceJob(dialect: Dialect, lease: JobLease, { processed, total, counts, rate, cursor }: JobAdvance): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = [
    `"processed" = cast(${bindings.bind(processed)} as bigint)`,
    `"total" = cast(${bindings.bind(total)} as bigint)`,
    `"counts" = ${bindings.bind(JSON.stringify(counts))}`,
    `"rate" = ${double(bindings, rate ?? null)}`,
    `"cursor" = ${bindings.bind(toJson(cursor))}`,
    `"attempts" = 0, "advanced" = ${now[dialect.name]}, ${changed}`,
  ];
  return write(`update ${jobs} set ${assignments.join(", ")} where ${heldBy(lease, bindings)}`, bindings);
}

/** Who wants a job to end does not wait for its next try. */
export function releaseJob(dialect: Dialect, lease: JobLease, delayMs: number, failed: boolean): SqlStatement {
  const bindings = new Bindings(dialect);
  const due = `case when "cancel" = 1 then 0 else ${after(dialect, bindings, delayMs)} end`;
  return write(`update ${jobs} set "due" = ${due}, "held" = 0, "tried" = ${failed ? 1 : 0} where ${heldBy(lease, bindings)}`, bindings);
}

export function finishJob(dialect: Dialect, lease: JobLease, end: JobEnd): SqlStatement {
  const bindings = new Bindings(dialect);
  const given = { status: end.status, result: toJson(end.result), error: end.status === "failed" ? toJson(end.error) : null };
  const assignments = Object.entries(given).map(([name, value]) => `"${name}" = ${bindings.bind(value)}`);
  if (!isResumable(end)) assignments.push(`"cursor" = null`);
  const ended = `"held" = 0, "finished" = ${now[dialect.name]}, ${changed}`;
  return write(`update ${jobs} set ${assignments.join(", ")}, ${ended} where ${heldBy(lease, bindings)}`, bindings);
}

/** Whether the input and the cursor of a job outlive its end. */
export function isResumable(end: JobEnd): boolean {
  return end.status === "failed" && end.resumable === true;
}

/** Lets nobody else write to a failed job as long as the transaction lasts. */
export function lockFailedJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`update ${jobs} set "held" = 0 where "id" = ${bindings.bind(id)} and "status" = 'failed'`, bindings);
}

/** Puts a job that has failed and kept its input back among those that wait. */
export function reopenJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = [
    `"status" = 'queued', "attempts" = 0, "tried" = 0, "due" = 0, "cancel" = 0`,
    `"result" = null, "error" = null, "rate" = null, "finished" = null, ${changed}`,
  ];
  const kept = `exists (select 1 from ${inputs} where "job" = "id")`;
  return write(`update ${jobs} set ${assignments.join(", ")} where "id" = ${bindings.bind(id)} and "status" = 'failed' and ${kept}`, bindings);
}

/** Ends what is queued, and asks the worker of what is under way to end it; answers what the status is then, and when the job had begun. */
export function cancelJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const queued = (then: string, otherwise: string) => `case when "status" = 'queued' then ${then} else ${otherwise} end`;
  const assignments = [
    `"error" = ${queued(`cast(${bindings.bind(JSON.stringify(canceledInQueue))} as text)`, `"error"`)}`,
    `"finished" = ${queued(now[dialect.name], "null")}`,
    `"cursor" = ${queued(`case when "started" is null then null else "cursor" end`, `"cursor"`)}`,
    `"status" = ${queued("'failed'", `"status"`)}`,
    `"due" = case when "held" = 1 then "due" else 0 end`,
    `"cancel" = 1, ${changed}`,
  ];
  const text = `update ${jobs} set ${assignments.join(", ")} where "id" = ${bindings.bind(id)} and "finished" is null returning "status", "started"`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function removeJob(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${jobs} where "id" = ${bindings.bind(id)} and "finished" is not null`, bindings);
}

export function countQueuedJobs(dialect: Dialect, tenant: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"tenant" = ${bindings.bind(tenant ?? "")} and "finished" is null and "status" = 'queued'`;
  return { text: `select count(*) as "queued" from ${jobs} where ${where}`, values: bindings.values, writes: false, returns: "one" };
}

/** Deletes what ended before and answers the ids. The condition stands twice: PostgreSQL asks it again of a row that it had to wait for. */
export function sweepJobs(dialect: Dialect, keepMs: number, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const over = () => `"finished" is not null and "finished" < ${now[dialect.name]} - cast(${bindings.bind(Math.floor(keepMs))} as bigint)`;
  const some = `select "number" from ${jobs} where ${over()} order by "finished" limit ${bindings.bind(max)}`;
  return {
    text: `delete from ${jobs} where "number" in (${some}) and ${over()} returning "id"`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/** The lease is the last one, and nobody has given it back or ended the job. */
function heldBy({ id, fence }: JobLease, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "fence" = cast(${bindings.bind(fence)} as bigint) and "held" = 1`;
}

function after({ name }: Dialect, bindings: Bindings, ms: number): string {
  return `${now[name]} + cast(${bindings.bind(Math.ceil(ms))} as bigint)`;
}

function double(bindings: Bindings, value: number | null): string {
  return `cast(${bindings.bind(value)} as double precision)`;
}

function write(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "none" };
}
