import { endedTaskStates } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings } from "../../engine/bindings.js";
import { instant } from "../../engine/clock.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import { cancelRetired } from "./registry.js";
import { deleteEphemeral } from "./registryStatements.js";

/**
 * Removes tasks that ended more than `keepMs` ago or whose subscriber is ephemeral, events without tasks, and ephemeral subscribers that are retired; cancels open tasks of retired subscribers.
 *
 * @returns how many tasks it removed
 */
export async function sweepTasks(session: Session, keepMs: number, max: number): Promise<number> {
  const dialect = session.dialect;
  await cancelRetired(session, max);
  const ended = (await run(session, deleteEnded(dialect, keepMs, max))).rows;
  const rows = [...ended, ...(await run(session, deleteOfEphemeral(dialect, max - ended.length))).rows];
  await run(session, deleteEphemeral(dialect));
  if (rows.length === 0) return 0;
  const ids = [...new Set(rows.map(({ event }) => String(event)))];
  // Of two sweeps that remove the last tasks of an event, the second one waits here, and removes the event.
  if (dialect.locks.update !== "") await run(session, lockEvents(dialect, ids));
  await run(session, deleteUnused(dialect, ids));
  return rows.length;
}

/** It skips tasks that others change. */
function deleteOfEphemeral(dialect: Dialect, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const { tasks, subscribers } = dialect.place.own;
  const names = `select "name" from ${subscribers} where "until" is not null`;
  // By its states, so that the engine finds it in an index.
  const ended = `"name" in (${names}) and "state" in (${endedTaskStates.map((state) => `'${state}'`).join(", ")})`;
  const some = `select "number" from ${tasks} where ${ended} limit ${bindings.bind(max)}${dialect.locks.skipLocked}`;
  const text = `with chosen as materialized (${some}) delete from ${tasks} where "number" in (select "number" from chosen) returning "event"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** It skips tasks that others change. */
function deleteEnded(dialect: Dialect, keepMs: number, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const over = `"ended" is not null and "ended" < ${instant(dialect)} - cast(${bindings.bind(Math.floor(keepMs))} as bigint)`;
  const some = `select "number" from ${dialect.place.own.tasks} where ${over} order by "ended" limit ${bindings.bind(max)}${dialect.locks.skipLocked}`;
  const text = `with chosen as materialized (${some}) delete from ${dialect.place.own.tasks} where "number" in (select "number" from chosen) returning "event"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Locks events in one order for all sweeps. */
function lockEvents(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "id" from ${dialect.place.own.subscriberEvents} where "id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))}) order by "id"${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

function deleteUnused(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const listed = `"id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  const text = `delete from ${dialect.place.own.subscriberEvents} where ${listed} and not exists (select 1 from ${dialect.place.own.tasks} as used where used."event" = ${dialect.place.own.subscriberEvents}."id")`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}
