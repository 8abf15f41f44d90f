import type { ClaimedJob, ClaimRequest } from "../../../src/storage/jobs.js";
import { inTurns } from "../../inTurns.js";
import { Bindings } from "../engine/bindings.js";
import { now } from "../engine/clock.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";
import { joined, run, type Session } from "../engine/session.js";
import { quoteText } from "../schema/identifier.js";
import { stateColumns, toClaimed } from "./jobRow.js";

/** First key of the advisory lock; the second one is the id of the table. Any fixed number will do. */
const advisoryLock = 729_310_455;

/**
 * Leases jobs that are due: the oldest of each tenant that has none in progress, from one tenant to the next, then the oldest ones within the limit per tenant.
 *
 * On PostgreSQL claims run one after the other, so that each counts the leases of the previous ones. Jobs that are locked by a transaction are skipped.
 */
export async function claimJobs(session: Session, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const { dialect, presence } = session.executor;
  const holder = await presence?.holder();
  const claim = async (inner: Session, nowMs: string) => {
    const { rows } = await run(inner, updateClaimed(inner, request, holder, nowMs));
    return inTurns(rows.toSorted((left, right) => Number(left["number"]) - Number(right["number"])).map(toClaimed), request.after);
  };
  if (dialect === "sqlite") return claim(session, now.sqlite);
  return joined(session, async (inner) => {
    const table = `${quoteText(session.dialect.place.own.jobs)}::regclass::oid::int`;
    const text = `select ${now.postgres} as "now" from (select pg_advisory_xact_lock(${advisoryLock}, ${table}) offset 0) as locked`;
    const { rows } = await run(inner, { text, values: [], writes: true, returns: "one" });
    return claim(inner, `${Number(rows[0]?.["now"])}`);
  });
}

/** @param nowMs an expression with the same value in the whole statement */
function updateClaimed({ dialect }: Session, request: ClaimRequest, holder: number | undefined, nowMs: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const { jobs, jobInputs } = dialect.place.own;
  const chosen = chosenJobs(dialect, request, nowMs, bindings);
  const assignments = [
    `"status" = 'processing', "fence" = held."fence" + 1, "attempts" = held."attempts" + held."tried", "tried" = 1, "held" = 1, "holder" = ${holder ?? "null"}`,
    `"due" = ${nowMs} + (select "lease" from given), "started" = coalesce(held."started", ${nowMs}), "changes" = held."changes" + 1`,
  ];
  const input = `(select "input" from ${jobInputs} where "job" = "id") as "input"`;
  return {
    text:
      `with recursive ${chosen} update ${jobs} as held set ${assignments.join(", ")} ` +
      `from chosen where held."number" = chosen."chosen" returning "number", ${stateColumns}, "fence", "cursor", "trace", ${input}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/** The common table expressions that end in `chosen`, the numbers of the claimed jobs; `given` has the numbers of the request. */
function chosenJobs(dialect: Dialect, { types, leaseMs, max, maxPerTenant, after }: ClaimRequest, nowMs: string, bindings: Bindings): string {
  const { jobs } = dialect.place.own;
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  const wanted = `wanted as materialized (${dialect.list("text", bindings.bind(JSON.stringify(types)))})`;
  const given =
    `given as materialized (select ${bindings.bind(after?.tenant ?? "")} as "after", ` +
    `${integer(max)} as "most", ${integer(maxPerTenant)} as "share", ${integer(Math.ceil(leaseMs))} as "lease")`;
  const [afterOf, most, share] = ["after", "most", "share"].map((column) => `(select "${column}" from given)`);
  const waits = (name: string) => `${name}."finished" is null and ${name}."due" <= ${nowMs} and ${name}."type" in (select item from wanted)`;
  const lives = (tenant: string) => `from ${jobs} as live where live."tenant" = ${tenant} and live."held" = 1 and live."due" > ${nowMs}`;
  // A walk by the index from tenant to tenant, so that a long queue costs no more than a short one. A step finds the next tenant, and the job of the one before it.
  const walk = (lap: string, begin: string, end: string) => {
    const first = (condition: string) =>
      `(select next."tenant" from ${jobs} as next where next."finished" is null and ${condition}${end} order by next."tenant", next."number" limit 1)`;
    const oldest = `(select free."number" from ${jobs} as free where free."tenant" = ${lap}."tenant" and ${waits("free")} order by free."number" limit 1)`;
    return (
      `${lap}("tenant", "number", "found") as (select ${first(begin)}, cast(null as bigint), 0 union all ` +
      `select ${first(`next."tenant" > ${lap}."tenant"`)}, case when not exists (select 1 ${lives(`${lap}."tenant"`)}) then ${oldest} end, ` +
      `${lap}."found" + case when ${lap}."number" is null then 0 else 1 end from ${lap} where ${lap}."tenant" is not null and ${lap}."found" < ${most})`
    );
  };
  const beyond = walk("beyond", `next."tenant" ${after === undefined ? ">=" : ">"} ${afterOf}`, "");
  // The walk begins again at the first tenant, and ends where it began.
  const wrapped = after === undefined ? [] : [walk("wrapped", "true", ` and next."tenant" <= ${afterOf}`)];
  const laps = ["beyond", "wrapped"].slice(0, 1 + wrapped.length);
  const found = laps.map((lap, index) => `select "number", "found", ${index} as "lap" from ${lap} where "number" is not null`).join(" union all ");
  const lock = (name: string) => (dialect.name === "postgres" ? ` for update of ${name} skip locked` : "");
  const walked = `walked as materialized (select "number" from (${found}) as found order by "lap", "found" limit ${most})`;
  const turns = `turns as materialized (select turn."number" from ${jobs} as turn where turn."number" in (select "number" from walked) and ${waits("turn")}${lock("turn")})`;
  const live = `(select count(*) from (select 1 ${lives(`candidate."tenant"`)} limit ${share}) as live_jobs)`;
  const before = `from ${jobs} as older where older."tenant" = candidate."tenant" and older."number" < candidate."number" and ${waits("older")}`;
  const older = `(select count(*) from (select 1 ${before} limit ${share}) as older_jobs)`;
  const others =
    `others as materialized (select candidate."number" from ${jobs} as candidate where ${waits("candidate")} and ${live} + ${older} < ${share} ` +
    `and candidate."number" not in (select "number" from turns) order by candidate."number" limit ${most} - (select count(*) from turns)${lock("candidate")})`;
  // Materialized: a sub-select could run, and lock rows, more than once.
  return (
    `${[wanted, given, beyond, ...wrapped, walked, turns, others].join(", ")}, ` +
    `chosen as materialized (select "number" as "chosen" from turns union all select "number" from others)`
  );
}
