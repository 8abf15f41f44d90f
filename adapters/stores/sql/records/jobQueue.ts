import type { ClaimRequest } from "../../../../src/ground/storage/queue/jobs.js";
import { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";

/** Jobs that one claim makes ready, at most: retries and ended leases that are due. */
const readyAtOnce = 200;

/** Selects when the first job that waits for its time is due; `null` if none waits. */
export function firstDue(dialect: Dialect): string {
  return `(select later."due" from ${dialect.place.own.jobs} as later where ${isLater("later")} order by later."due" limit 1)`;
}

/** Selects the milliseconds until then. */
export function selectLaterIn(dialect: Dialect): SqlStatement {
  return { text: `select ${firstDue(dialect)} - ${dialect.now} as "laterIn"`, values: [], writes: false, returns: "one" };
}

/**
 * Makes jobs that are due ready, the first ones first. So all jobs in the index of ready ones are due, and a claim does not search for them among others. Jobs that others have locked are skipped.
 */
export function makeReady(dialect: Dialect, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const { jobs } = dialect.place.own;
  const some =
    `select later."number" from ${jobs} as later where ${isLater("later")} and later."due" <= cast(${bindings.bind(nowMs)} as bigint) ` +
    `order by later."due" limit ${readyAtOnce}${dialect.locks.skipLocked}`;
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
export function selectClaimable(dialect: Dialect, request: ClaimRequest, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const { nextNumber } = readyJobs(dialect);
  const laps = lapsOf(dialect, request.after);
  const live = `(select count(*) from (select 1 ${liveJobs(dialect, `seen."tenant"`)} limit ${given("share")}) as live_jobs)`;
  const seen = laps
    .map(({ name }, index) => `select "tenant", "found", ${index} as "lap" from ${name} where "tenant" is not null`)
    .join(" union all ");
  const visited =
    `visited as materialized (select ${nextNumber(`seen."tenant"`, "0")} as "number", seen."tenant", seen."lap", seen."found", ${live} as "live" ` +
    `from (${seen}) as seen)`;
  // The following jobs of each tenant, as far as it may have more.
  const more =
    `more("number", "tenant", "live", "taken") as (select "number", "tenant", "live", 1 from visited where "live" < ${given("share")} union all ` +
    `select ${nextNumber(`more."tenant"`, `more."number"`)}, more."tenant", more."live", more."taken" + 1 from more ` +
    `where more."number" is not null and more."live" + more."taken" < ${given("share")} and more."taken" < ${given("most")})`;
  const turns = `select "number", 0 as "round", "lap", "found" from visited where "live" = 0`;
  const others = `select "number", 1, 0, "number" from more where "number" is not null and ("taken" > 1 or "live" > 0)`;
  return {
    text:
      `with recursive ${[...requested(bindings, request, nowMs), ...laps.map(({ text }) => text), visited, more].join(", ")} ` +
      `select "number" from (${turns} union all ${others}) as chosen order by "round", "lap", "found" limit 2 * ${given("most")}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/** The types and the numbers of a request, as tables; bound before all other values. */
function requested(bindings: Bindings, { types, max, maxPerTenant, after }: ClaimRequest, nowMs: number): readonly string[] {
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  return [
    `wanted as materialized (${bindings.dialect.list("text", bindings.bind(JSON.stringify(types)))})`,
    `given as materialized (select ${bindings.bind(after?.tenant ?? "")} as "after", ` +
      `${integer(max)} as "most", ${integer(maxPerTenant)} as "share", ${integer(nowMs)} as "now")`,
  ];
}

function given(column: "after" | "most" | "share" | "now"): string {
  return `(select "${column}" from given)`;
}

/** The jobs of a tenant that are in progress. */
function liveJobs({ place }: Dialect, tenant: string): string {
  return `from ${place.own.jobs} as live where live."tenant" = ${tenant} and live."held" = 1 and live."due" > ${given("now")}`;
}

/**
 * Finds ready jobs of the wanted types: the first of each type, and then the first of those. They are scalar sub-selects in the order of the index, so that the engine must use it: for a join it
 * might read all jobs, and for an order by number all of other types.
 */
function readyJobs({ place }: Dialect) {
  const first = (column: string, condition: string) =>
    `(select min((select ${column} from ${place.own.jobs} as ahead where ${isReady("ahead")} and ahead."type" = wanted.item and ${condition} ` +
    `order by ahead."tenant", ahead."number" limit 1)) from wanted)`;
  return {
    nextTenant: (condition: string) => first(`ahead."tenant"`, condition),
    nextNumber: (tenant: string, number: string) =>
      first(`case when ahead."tenant" = ${tenant} then ahead."number" end`, `(ahead."tenant", ahead."number") > (${tenant}, ${number})`),
  };
}

/** The walk from tenant to tenant. If it has not found enough at the last one, it begins again at the first, and ends where it began. "found": how many tenants before had nothing in progress. */
function lapsOf(dialect: Dialect, after: ClaimRequest["after"]): readonly { readonly name: string; readonly text: string }[] {
  const { nextTenant } = readyJobs(dialect);
  const walk = (name: string, begin: string, end: string, found: string) => {
    const isFree = `case when exists (select 1 ${liveJobs(dialect, `${name}."tenant"`)}) then 0 else 1 end`;
    const text =
      `${name}("tenant", "found") as (select ${nextTenant(`${begin}${end}`)}, ${found} union all ` +
      `select ${nextTenant(`ahead."tenant" > ${name}."tenant"${end}`)}, ${name}."found" + ${isFree} ` +
      `from ${name} where ${name}."tenant" is not null and ${name}."found" < ${given("most")})`;
    return { name, text };
  };
  const beyond = walk("beyond", `ahead."tenant" ${after === undefined ? ">=" : ">"} ${given("after")}`, "", "0");
  if (after === undefined) return [beyond];
  return [beyond, walk("wrapped", `ahead."tenant" >= ''`, ` and ahead."tenant" <= ${given("after")}`, `(select max("found") from beyond)`)];
}

/** The condition of an index, word for word. */
function isReady(name: string): string {
  return `${name}."finished" is null and ${name}."due" = 0`;
}

/** The condition of an index, word for word. */
function isLater(name: string): string {
  return `${name}."finished" is null and ${name}."due" > 0`;
}
