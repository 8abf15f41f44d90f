import { type TaskQuery, type TaskState, taskStates } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";

export function selectTask(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return {
    text: `select * from ${dialect.place.own.tasks} where "id" = ${bindings.bind(id)}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

/** Selects tasks, newest first. Those of each subscriber and state are read in the order of an index; the results are then merged and limited. */
export function listTasks(dialect: Dialect, { name, states, type, tenant, after, limit }: TaskQuery): SqlStatement {
  const bindings = new Bindings(dialect);
  const hasIndex = states === undefined && (type !== undefined || tenant !== undefined);
  const eachState = hasIndex ? [""] : [...new Set(states ?? taskStates)];
  const asked = `asked("name", "state") as (select target."name", listed_states.item from ${dialect.place.own.subscribers} as target cross join (${dialect.list("text", bindings.bind(JSON.stringify(eachState)))}) as listed_states${name === undefined ? "" : ` where target."name" = ${bindings.bind(name)}`})`;
  const conditions = [`one."name" = asked."name"`];
  if (!hasIndex) conditions.push(`one."state" = asked."state"`);
  if (type !== undefined) conditions.push(`one."type" = ${bindings.bind(type)}`);
  if (tenant !== undefined) conditions.push(`one."tenant" = ${bindings.bind(tenant)}`);
  if (after !== undefined) conditions.push(`one."number" < cast(${bindings.bind(after)} as bigint)`);
  const newest = `from ${dialect.place.own.tasks} as one where ${conditions.join(" and ")} order by one."number" desc`;
  const listed = dialect.planner.firstOfEach({
    ...{ table: dialect.place.own.tasks, alias: "listed", key: `"number"`, inner: "one" },
    ...{ columns: "one.*", rest: newest, limit: bindings.bind(limit) },
  });
  return {
    text: `with ${asked} select listed.* from asked ${listed} order by listed."number" desc limit ${bindings.bind(limit)}`,
    values: bindings.values,
    writes: false,
    returns: "many",
  };
}

/** Counts the next tasks of a subscriber in one state, at most `max`, and selects the number of the last of them. */
export function countTasks(dialect: Dialect, name: string, state: TaskState, after: number, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"name" = ${bindings.bind(name)} and "state" = ${bindings.bind(state)} and "number" > cast(${bindings.bind(after)} as bigint)`;
  const some = `select "number" from ${dialect.place.own.tasks} where ${where} order by "number" limit ${bindings.bind(max)}`;
  const text = `select count(*) as "tasks", max("number") as "last" from (${some}) as counted`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}
