import type { NewSubscriberEvent, TaskLease, TaskOutcome } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings, write } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";
import { heldBy, inMs, leasedTasks } from "../queue/leases.js";

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

/** Ends the lease with the outcome of its attempt. */
export function recordOutcome(dialect: Dialect, lease: TaskLease, outcome: TaskOutcome): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = dialect.now;
  const next = outcome.state === "pending" ? waiting(outcome.delayMs, bindings) : `"state" = '${outcome.state}', "ready" = null, "ended" = ${clock}`;
  // PostgreSQL stores no NUL characters.
  const error = outcome.state === "succeeded" ? "" : `, "error" = ${bindings.bind(outcome.error.replaceAll("\0", ""))}`;
  return write(
    `update ${dialect.place.own.tasks} set "attempts" = "attempts" + 1, ${next}${error} where ${heldBy(leasedTasks, lease, bindings)}`,
    bindings,
  );
}

/** Ends the lease without an attempt. */
export function releaseTask(dialect: Dialect, lease: TaskLease, delayMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`update ${dialect.place.own.tasks} set ${waiting(delayMs, bindings)} where ${heldBy(leasedTasks, lease, bindings)}`, bindings);
}

/** Makes ended tasks of active subscribers pending and due. The fence stays, so that the next lease gets a new one. */
export function replayTasks(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = `"state" = 'pending', "ready" = 1, "due" = ${dialect.now}, "ended" = null, "attempts" = 0, "interrupted" = 0, "error" = null`;
  const isActive = `exists (select 1 from ${dialect.place.own.subscribers} as target where target."name" = ${dialect.place.own.tasks}."name" and target."retired" is null)`;
  const listed = `"id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return write(`update ${dialect.place.own.tasks} set ${assignments} where ${listed} and "ended" is not null and ${isActive}`, bindings);
}

/** Selects the id of the event of a task. */
export function eventOf(task: string, bindings: Bindings): string {
  return `select "event" from ${bindings.dialect.place.own.tasks} where "id" = ${bindings.bind(task)}`;
}

function waiting(delayMs: number, bindings: Bindings): string {
  const delay = Math.max(0, Math.ceil(delayMs));
  return `"state" = 'pending', "ready" = ${delay === 0 ? 1 : 0}, "due" = ${inMs(delay, bindings)}`;
}
