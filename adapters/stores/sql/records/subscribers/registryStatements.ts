import type { RegisteredSubscriber } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings, write } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";

/** The key of the generation in the store's own table. */
const generationKey = "'subscribers'";

/** Selects subscribers and locks them until the transaction ends, in one order for all processes. */
export function lockSubscribers(dialect: Dialect, names: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"name" in (${dialect.list("text", bindings.bind(JSON.stringify(names)))})`;
  const text = `select * from ${dialect.place.own.subscribers} where ${where} order by "name"${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/**
 * Inserts subscribers, or replaces their patterns; in both cases they are active and were seen now.
 *
 * @param lifeMs of ephemeral ones
 */
export function upsertSubscribers(dialect: Dialect, given: readonly RegisteredSubscriber[], lifeMs?: number): SqlStatement {
  const bindings = new Bindings(dialect);
  // One row each: PostgreSQL cannot change a row twice in one statement.
  const each = [...new Map(given.map((one) => [one.name, one])).values()];
  const { source, names } = jsonRows(bindings, [
    { kind: "text", values: each.map(({ name }) => name) },
    { kind: "text", values: each.map(({ patterns }) => JSON.stringify(patterns)) },
  ]);
  const until = lifeMs === undefined ? "cast(null as bigint)" : `${dialect.now} + ${Math.ceil(lifeMs)}`;
  const select = `select ${names[0]}, ${names[1]}, ${dialect.now}, ${until} from ${source} where true order by ${names[0]}`;
  const change = `"patterns" = excluded."patterns", "seen" = excluded."seen", "until" = excluded."until", "retired" = null`;
  return write(
    `insert into ${dialect.place.own.subscribers} ("name", "patterns", "seen", "until") ${select} on conflict ("name") do update set ${change}`,
    bindings,
  );
}

/** Makes registered subscribers active, and seen now. */
export function touchSubscribers(dialect: Dialect, names: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"name" in (${dialect.list("text", bindings.bind(JSON.stringify(names)))})`;
  return write(`update ${dialect.place.own.subscribers} set "seen" = ${dialect.now}, "retired" = null where ${where}`, bindings);
}

/** Retires the active subscribers that were not seen for so long, and ephemeral ones whose time is over; returns their names, and `until` of ephemeral ones. */
export function retireUnused(dialect: Dialect, unusedMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = dialect.now;
  const isUnused = `"until" is null and "seen" <= ${clock} - cast(${bindings.bind(Math.floor(unusedMs))} as bigint)`;
  const text =
    `update ${dialect.place.own.subscribers} set "retired" = ${clock} where "retired" is null and ((${isUnused}) or "until" <= ${clock}) ` +
    `returning "name", "until"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Retires those of the subscribers that are ephemeral; returns their names. */
export function retireEphemeral(dialect: Dialect, names: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"name" in (${dialect.list("text", bindings.bind(JSON.stringify(names)))}) and "until" is not null and "retired" is null`;
  const text = `update ${dialect.place.own.subscribers} set "retired" = ${dialect.now} where ${where} returning "name"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Removes ephemeral subscribers that are retired and have no tasks any more. */
export function deleteEphemeral(dialect: Dialect): SqlStatement {
  const { subscribers, tasks } = dialect.place.own;
  const hasTasks = `exists (select 1 from ${tasks} as kept where kept."name" = ${subscribers}."name")`;
  const text = `delete from ${subscribers} where "until" is not null and "retired" is not null and not ${hasTasks}`;
  return { text, values: [], writes: true, returns: "none" };
}

/** Cancels open tasks of retired subscribers without a live lease. It skips tasks that others change. */
export function cancelRetired(dialect: Dialect, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = dialect.now;
  const some = (ready: number, columns: string) => {
    // In the order of an index, so that the engine searches it.
    const open =
      `from ${dialect.place.own.tasks} as held where held."name" = gone."name" and held."ready" = ${ready} and (held."state" = 'pending' or held."due" <= ${clock}) ` +
      `order by ${columns}`;
    const taken = dialect.planner.firstOfEach({
      ...{ table: dialect.place.own.tasks, alias: "taken", key: `"number"`, inner: "held" },
      ...{ columns: `held."number"`, rest: open, limit: bindings.bind(max), skipsLocked: true },
    });
    return `select taken."number" from ${dialect.place.own.subscribers} as gone ${taken} where gone."retired" is not null`;
  };
  const ready = some(1, `held."name", held."tenant", held."due", held."number"`);
  const later = some(0, `held."name", held."due", held."number"`);
  const chosen = `ready_ones as materialized (${ready}), later_ones as materialized (${later})`;
  const numbers = `select "number" from ready_ones union all select "number" from later_ones`;
  const limited = `select "number" from (${numbers}) as chosen limit ${bindings.bind(max)}`;
  return write(
    `with ${chosen} update ${dialect.place.own.tasks} set "state" = 'canceled', "ended" = ${clock}, "ready" = null where "number" in (${limited})`,
    bindings,
  );
}

export function selectSubscribers(dialect: Dialect): SqlStatement {
  return { text: `select * from ${dialect.place.own.subscribers} order by "name"`, values: [], writes: false, returns: "many" };
}

export function selectGeneration(dialect: Dialect): SqlStatement {
  return { text: `select "value" from ${dialect.place.own.values} where "key" = ${generationKey}`, values: [], writes: false, returns: "one" };
}

/** Gives the list of active subscribers a new generation. It must be random: a counter would repeat a value after a rollback. */
export function renewGeneration(dialect: Dialect, generation: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const values = `values (${generationKey}, ${bindings.bind(generation)})`;
  return write(
    `insert into ${dialect.place.own.values} ("key", "value") ${values} on conflict ("key") do update set "value" = excluded."value"`,
    bindings,
  );
}
