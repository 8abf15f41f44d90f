import type { TaskClaim } from "../../../../../src/ground/storage/queue/subscribers.js";
import { Bindings } from "../../engine/bindings.js";
import { instant } from "../../engine/clock.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";

/** Tasks that one claim makes ready, at most: retries and ended leases that are due. */
const readyAtOnce = 200;

/** Selects tasks of a subscriber that wait and are due. They are locked, and tasks that others lock are skipped. */
export function selectDue(dialect: Dialect, name: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"name" = ${bindings.bind(name)} and "ready" = 0 and "due" <= ${instant(dialect)}`;
  const text = `select "number" from ${dialect.place.own.tasks} where ${where} order by "due", "number" limit ${readyAtOnce}${dialect.locks.skipLocked}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/**
 * Makes tasks that are due ready. So all tasks in the index of ready ones are due, and a claim does not search for due tasks among tenants that have only tasks
 * that wait.
 */
export function makeReady(dialect: Dialect, numbers: readonly number[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const listed = `"number" in (${dialect.list("int", bindings.bind(JSON.stringify(numbers)))})`;
  return { text: `update ${dialect.place.own.tasks} set "ready" = 1 where ${listed}`, values: bindings.values, writes: true, returns: "none" };
}

/**
 * Selects the tasks of a claim from the ready ones: one of each tenant, from one tenant to the next, then a second one of each, and so on. The rows are locked, and rows that
 * others lock are skipped.
 */
export function selectReady(dialect: Dialect, { name, max, after }: Pick<TaskClaim, "name" | "max" | "after">): SqlStatement {
  const bindings = new Bindings(dialect);
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  const given = `given as materialized (select ${bindings.bind(name)} as "name", ${bindings.bind(after?.tenant ?? "")} as "after", ${integer(max)} as "most")`;
  const [nameOf, afterOf, most] = ["name", "after", "most"].map((column) => `(select "${column}" from given)`);
  // Ordered by all columns of the index, so that the engine chooses it.
  const first = (condition: string) =>
    `(select ready."tenant" from ${dialect.place.own.tasks} as ready where ready."ready" = 1 and ready."name" = ${nameOf} and ${condition} ` +
    `order by ready."name", ready."tenant", ready."due", ready."number" limit 1)`;
  const walk = (lap: string, begin: string, end: string) =>
    `${lap}("tenant", "step") as (select ${first(`${begin}${end}`)}, 1 union all ` +
    `select ${first(`ready."tenant" > ${lap}."tenant"${end}`)}, ${lap}."step" + 1 from ${lap} where ${lap}."tenant" is not null and ${lap}."step" < ${most})`;
  const beyond = walk("beyond", `ready."tenant" ${after === undefined ? ">=" : ">"} ${afterOf}`, "");
  // The walk begins again at the first tenant, and ends where it began.
  const wrapped = after === undefined ? [] : [walk("wrapped", "true", ` and ready."tenant" <= ${afterOf}`)];
  const laps = ["beyond", "wrapped"].slice(0, 1 + wrapped.length);
  const walked = laps.map((lap, index) => `select "tenant", "step", ${index} as "lap" from ${lap} where "tenant" is not null`).join(" union all ");
  const tenants = `tenants as materialized (select "tenant", "lap", "step" from (${walked}) as walked order by "lap", "step" limit ${most})`;
  // Every tenant gives at least one, which leaves so many for each of them.
  const share = `(select (select "most" from given) - count(*) + 1 from tenants)`;
  const oldest =
    `from ${dialect.place.own.tasks} as ready where ready."ready" = 1 and ready."name" = ${nameOf} and ready."tenant" = tenants."tenant" ` +
    `order by ready."due", ready."number"`;
  const taken = dialect.planner.firstOfEach({
    ...{ table: dialect.place.own.tasks, alias: "taken", key: `"number"`, inner: "ready" },
    ...{ columns: `ready."number", ready."due"`, rest: oldest, limit: share, skipsLocked: true },
  });
  const round = `row_number() over (partition by tenants."tenant" order by taken."due", taken."number") as "round"`;
  const candidates = `candidates as materialized (select taken."number", tenants."lap", tenants."step", ${round} from tenants ${taken})`;
  return {
    text:
      `with recursive ${[given, beyond, ...wrapped, tenants, candidates].join(", ")} ` +
      `select "number" from candidates order by "round", "lap", "step" limit ${most}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/** Selects the milliseconds until a task of one of the subscribers can be claimed. */
export function selectDueIn(dialect: Dialect, names: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const source = `(${dialect.list("text", bindings.bind(JSON.stringify(names)))}) as asked`;
  // In the order of an index, so that the engine searches it: if there is no such task, it would read all others.
  const first = (ready: number, columns: string) =>
    `(select open."due" from ${dialect.place.own.tasks} as open where open."name" = asked.item and open."ready" = ${ready} order by ${columns} limit 1)`;
  const ready = first(1, `open."name", open."tenant", open."due", open."number"`);
  const later = first(0, `open."due", open."number"`);
  const text = `select min(case when ${ready} is not null then 0 else ${later} - ${dialect.now} end) as "dueIn" from ${source}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

/** Counts pending tasks, at most `max`. */
export function countPending(dialect: Dialect, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const some = (ready: number, columns: string) =>
    `select 1 as "one" from ${dialect.place.own.tasks} where "ready" = ${ready} and "state" = 'pending' order by ${columns} limit ${bindings.bind(max)}`;
  const [ready, later] = [some(1, `"name", "tenant", "due", "number"`), some(0, `"name", "due", "number"`)];
  const both = `select * from (${ready}) as ready_ones union all select * from (${later}) as later_ones`;
  const text = `select count(*) as "pending" from (select * from (${both}) as pending limit ${bindings.bind(max)}) as counted`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}
