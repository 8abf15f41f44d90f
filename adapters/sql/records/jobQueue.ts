import type { ClaimRequest } from "../../../src/storage/jobs.js";
import { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";

/** Jobs that one claim makes ready, at most: retries and ended leases that are due. */
const readyAtOnce = 200;

/** Selects when the first job that waits for its time is due; `null` if none waits. */
export function firstDue(dialect: Dialect): string {
  return `(select later."due" from ${dialect.place.own.jobs} as later where ${isLater("later")} order by later."due" limit 1)`;
}

/**
 * Makes jobs that are due ready, the first ones first. So all jobs in the index of ready ones are due, and a claim does not search for them among others. On PostgreSQL jobs that are locked
 * are skipped.
 */
export function makeReady(dialect: Dialect, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const { jobs } = dialect.place.own;
  const some =
    `select later."number" from ${jobs} as later where ${isLater("later")} and later."due" <= cast(${bindings.bind(nowMs)} as bigint) ` +
    `order by later."due" limit ${readyAtOnce}${skipLocked(dialect)}`;
  // Materialized: a sub-select could run, and lock rows, more than once.
  const text = `with due as materialized (${some}) update ${jobs} set "due" = 0 where "number" in (select "number" from due)`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/**
 * Selects jobs that may be claimed, the best first: the oldest of each tenant that has none in progress, from one tenant to the next, then the oldest ones within the limit per tenant. There may
 * be more than the request wants, for the case that some are locked.
 *
 * It walks over the index of ready jobs from tenant to tenant and stops when it has enough, so that neither long queues nor jobs of other types cost anything.
 */
export function selectClaimable(dialect: Dialect, { types, max, maxPerTenant, after }: ClaimRequest, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const { jobs } = dialect.place.own;
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  const wanted = `wanted as materialized (${dialect.list("text", bindings.bind(JSON.stringify(types)))})`;
  const given =
    `given as materialized (select ${bindings.bind(after?.tenant ?? "")} as "after", ` +
    `${integer(max)} as "most", ${integer(maxPerTenant)} as "share", ${integer(nowMs)} as "now")`;
  const [afterOf, most, share, now] = ["after", "most", "share", "now"].map((column) => `(select "${column}" from given)`);
  const lives = (tenant: string) => `from ${jobs} as live where live."tenant" = ${tenant} and live."held" = 1 and live."due" > ${now}`;
  // Scalar sub-selects in the order of the index of ready jobs, so that the engine must use it: for a join it might read all jobs, and for an order by number all of other types.
  const first = (column: string, condition: string) =>
    `(select min((select ${column} from ${jobs} as ahead where ${isReady("ahead")} and ahead."type" = wanted.item and ${condition} ` +
    `order by ahead."tenant", ahead."number" limit 1)) from wanted)`;
  const nextTenant = (condition: string) => first(`ahead."tenant"`, condition);
  const nextNumber = (tenant: string, number: string) =>
    first(`case when ahead."tenant" = ${tenant} then ahead."number" end`, `(ahead."tenant", ahead."number") > (${tenant}, ${number})`);
  const walk = (lap: string, begin: string, end: string, found: string) =>
    `${lap}("tenant", "found") as (select ${nextTenant(`${begin}${end}`)}, ${found} union all select ${nextTenant(`ahead."tenant" > ${lap}."tenant"${end}`)}, ` +
    `${lap}."found" + case when exists (select 1 ${lives(`${lap}."tenant"`)}) then 0 else 1 end ` +
    `from ${lap} where ${lap}."tenant" is not null and ${lap}."found" < ${most})`;
  const beyond = walk("beyond", `ahead."tenant" ${after === undefined ? ">=" : ">"} ${afterOf}`, "", "0");
  // The walk begins again at the first tenant if it has not found enough, and ends where it began.
  const wrapped =
    after === undefined ? [] : [walk("wrapped", `ahead."tenant" >= ''`, ` and ahead."tenant" <= ${afterOf}`, `(select max("found") from beyond)`)];
  const laps = ["beyond", "wrapped"].slice(0, 1 + wrapped.length);
  const live = `(select count(*) from (select 1 ${lives(`seen."tenant"`)} limit ${share}) as live_jobs)`;
  const seen = laps.map((lap, index) => `select "tenant", "found", ${index} as "lap" from ${lap} where "tenant" is not null`).join(" union all ");
  const visited =
    `visited as materialized (select ${nextNumber(`seen."tenant"`, "0")} as "number", seen."tenant", seen."lap", seen."found", ${live} as "live" ` +
    `from (${seen}) as seen)`;
  // The following jobs of each tenant, as far as it may have more.
  const following = nextNumber(`more."tenant"`, `more."number"`);
  const more =
    `more("number", "tenant", "live", "taken") as (select "number", "tenant", "live", 1 from visited where "live" < ${share} union all ` +
    `select ${following}, more."tenant", more."live", more."taken" + 1 from more ` +
    `where more."number" is not null and more."live" + more."taken" < ${share} and more."taken" < ${most})`;
  const turns = `select "number", 0 as "round", "lap", "found" from visited where "live" = 0`;
  const others = `select "number", 1, 0, "number" from more where "number" is not null and ("taken" > 1 or "live" > 0)`;
  return {
    text:
      `with recursive ${[wanted, given, beyond, ...wrapped, visited, more].join(", ")} ` +
      `select "number" from (${turns} union all ${others}) as chosen order by "round", "lap", "found" limit 2 * ${most}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/** The condition of an index, word for word. */
function isReady(name: string): string {
  return `${name}."finished" is null and ${name}."due" = 0`;
}

/** The end of a `select` that locks rows, and passes over those that others have locked. */
export function skipLocked({ name }: Dialect): string {
  return name === "postgres" ? " for update skip locked" : "";
}

/** The condition of an index, word for word. */
function isLater(name: string): string {
  return `${name}."finished" is null and ${name}."due" > 0`;
}
