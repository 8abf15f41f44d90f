import type { NewSubscriberEvent, SubscriberEvent, TaskLease, TaskOutcome } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";
import { packBytes } from "../../query/longReads/packedBytes.js";
import type { Leasing } from "../leasing.js";

/** Inserts the tasks of events for active subscribers, in the given order; returns their ids. */
export function insertTasks(dialect: Dialect, given: readonly NewSubscriberEvent[]): SqlStatement {
  const rows = given.flatMap(({ id: event, type, tenant = "", tasks: made }) => made.map(({ id, name }) => [id, name, event, type, tenant]));
  const bindings = new Bindings(dialect);
  const { source, names, order } = jsonRows(
    bindings,
    [0, 1, 2, 3, 4].map((column) => ({ kind: "text", values: rows.map((row) => row[column]) })),
  );
  const clock = dialect.now;
  const from = `${source} join ${dialect.place.own.subscribers} as target on target."name" = ${names[1]} and target."retired" is null`;
  const columns = `"id", "name", "event", "type", "tenant", "state", "attempts", "interrupted", "fence", "due", "created", "ready"`;
  const select = `select ${names.join(", ")}, 'pending', 0, 0, 0, ${clock}, ${clock}, 1 from ${from} where true order by ${order}`;
  const text = `insert into ${dialect.place.own.tasks} (${columns}) ${select} on conflict ("id") do nothing returning "id"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Inserts events. Existing events stay unchanged; they are locked, so that a sweep sees their new tasks. */
export function insertEvents(dialect: Dialect, given: readonly SubscriberEvent[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const each = [...new Map(given.map((event) => [event.id, event])).values()];
  const bodies = packBytes(
    bindings,
    each.map(({ body }) => body),
  );
  const { source, names, order } = jsonRows(bindings, [
    { kind: "text", values: each.map(({ id }) => id) },
    { kind: "text", values: each.map(({ type }) => type) },
    { kind: "text", values: each.map(({ tenant = "" }) => tenant) },
    { kind: "int", values: each.map(({ createdAt }) => createdAt.getTime()) },
    ...bodies.columns,
    { kind: "text", values: each.map(({ trace = null }) => trace) },
  ]);
  const [id, type, tenant, created, start = "", length = "", trace] = names;
  const select = `select ${id}, ${type}, ${tenant}, ${created}, ${bodies.expression(start, length)}, ${trace} from ${source} where true order by ${order}`;
  const text = `insert into ${dialect.place.own.subscriberEvents} ("id", "type", "tenant", "created", "body", "trace") ${select} on conflict ("id") do ${dialect.locks.conflicting(`"id"`)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Leases the chosen tasks. An attempt whose lease ended counts, as interrupted. */
export function leaseTasks(dialect: Dialect, numbers: readonly number[], { leaseMs, nowMs, holder = null, claimId = null }: Leasing): SqlStatement {
  const bindings = new Bindings(dialect);
  const integer = (value: number | null) => `cast(${bindings.bind(value)} as bigint)`;
  const interrupted = `case when "state" = 'running' then 1 else 0 end`;
  const assignments =
    `"attempts" = "attempts" + ${interrupted}, "interrupted" = "interrupted" + ${interrupted}, "state" = 'running', "fence" = "fence" + 1, ` +
    `"ready" = 0, "due" = ${integer(nowMs + Math.ceil(leaseMs))}, "holder" = ${integer(holder)}, "claim" = ${bindings.bind(claimId)}`;
  const text = `update ${dialect.place.own.tasks} set ${assignments} where "number" in (${dialect.list("int", bindings.bind(JSON.stringify(numbers)))}) returning *`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Ends the lease with the outcome of its attempt. */
export function recordOutcome(dialect: Dialect, lease: TaskLease, outcome: TaskOutcome): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = dialect.now;
  const next =
    outcome.state === "pending" ? waiting(outcome.delayMs, clock, bindings) : `"state" = '${outcome.state}', "ready" = null, "ended" = ${clock}`;
  // PostgreSQL stores no NUL characters.
  const error = outcome.state === "succeeded" ? "" : `, "error" = ${bindings.bind(outcome.error.replaceAll("\0", ""))}`;
  return write(`update ${dialect.place.own.tasks} set "attempts" = "attempts" + 1, ${next}${error} where ${heldBy(lease, bindings)}`, bindings);
}

/** Ends the lease without an attempt. */
export function releaseTask(dialect: Dialect, lease: TaskLease, delayMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`update ${dialect.place.own.tasks} set ${waiting(delayMs, dialect.now, bindings)} where ${heldBy(lease, bindings)}`, bindings);
}

/** Makes ended tasks of active subscribers pending and due. The fence stays, so that the next lease gets a new one. */
export function replayTasks(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = `"state" = 'pending', "ready" = 1, "due" = ${dialect.now}, "ended" = null, "attempts" = 0, "interrupted" = 0, "error" = null`;
  const isActive = `exists (select 1 from ${dialect.place.own.subscribers} as target where target."name" = ${dialect.place.own.tasks}."name" and target."retired" is null)`;
  const listed = `"id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return write(`update ${dialect.place.own.tasks} set ${assignments} where ${listed} and "ended" is not null and ${isActive}`, bindings);
}

/** Selects events with their bodies, by id. */
export function selectEvents(dialect: Dialect, ids: readonly string[], writes: boolean): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return {
    text: `select ${eventColumns(dialect)} from ${dialect.place.own.subscriberEvents} as event where ${where}`,
    values: bindings.values,
    writes,
    returns: "many",
  };
}

/** Selects the event of a task. */
export function selectEventOf(dialect: Dialect, task: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `event."id" = (select "event" from ${dialect.place.own.tasks} where "id" = ${bindings.bind(task)})`;
  return {
    text: `select ${eventColumns(dialect)} from ${dialect.place.own.subscriberEvents} as event where ${where}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

function eventColumns(dialect: Dialect): string {
  return `event."id", event."type", event."tenant", event."created", event."trace", ${dialect.bytes.read(`event."body"`)} as "bytes"`;
}

function waiting(delayMs: number, clock: string, bindings: Bindings): string {
  const delay = Math.max(0, Math.ceil(delayMs));
  return `"state" = 'pending', "ready" = ${delay === 0 ? 1 : 0}, "due" = ${clock} + cast(${bindings.bind(delay)} as bigint)`;
}

function heldBy({ id, fence }: TaskLease, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "fence" = cast(${bindings.bind(fence)} as bigint) and "state" = 'running'`;
}

function write(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "none" };
}
