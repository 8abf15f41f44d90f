import type { ClaimedJob, ClaimRequest } from "../../src/storage/jobs.js";
import { Bindings } from "./bindings.js";
import { now } from "./clock.js";
import { dialects } from "./dialects.js";
import type { SqlStatement } from "./executor.js";
import { stateColumns, toClaimed } from "./jobRow.js";
import { jobTables } from "./jobTables.js";
import { joined, run, type Session } from "./session.js";

const { inputs, jobs } = jobTables;

/** Any number that all processes agree on; the table's own goes with it. */
const advisoryLock = 729_310_455;

/**
 * Gives out leases of the oldest jobs whose time has come, as many as their tenants may have.
 *
 * On PostgreSQL one claim follows the other, so that each counts the leases of those before. Jobs that a transaction is writing to are passed over.
 */
export async function claimJobs(session: Session, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const { dialect } = session.executor;
  const claim = async (inner: Session, nowMs: string) => {
    const { rows } = await run(inner, updateClaimed(inner, request, nowMs));
    return rows.toSorted((left, right) => Number(left["number"]) - Number(right["number"])).map(toClaimed);
  };
  if (dialect === "sqlite") return claim(session, now.sqlite);
  return joined(session, async (inner) => {
    const table = `'${jobs}'::regclass::oid::int`;
    const text = `select ${now.postgres} as "now" from (select pg_advisory_xact_lock(${advisoryLock}, ${table}) offset 0) as locked`;
    const { rows } = await run(inner, { text, values: [], writes: true, returns: "one" });
    return claim(inner, `${Number(rows[0]?.["now"])}`);
  });
}

/** @param nowMs an expression that is the same throughout the statement */
function updateClaimed({ executor }: Session, { types, leaseMs, max, maxPerTenant }: ClaimRequest, nowMs: string): SqlStatement {
  const dialect = dialects[executor.dialect];
  const bindings = new Bindings(dialect);
  const waits = (name: string) => {
    const list = dialect.list("text", bindings.bind(JSON.stringify(types)));
    return `${name}."finished" is null and ${name}."due" <= ${nowMs} and ${name}."type" in (${list})`;
  };
  const countOf = (name: string, condition: () => string) => {
    const some = `select 1 from ${jobs} as ${name} where ${name}."tenant" = candidate."tenant" and ${condition()}`;
    return `(select count(*) from (${some} limit ${bindings.bind(maxPerTenant)}) as ${name}_jobs)`;
  };
  const waiting = waits("candidate");
  const live = countOf("live", () => `live."held" = 1 and live."due" > ${nowMs}`);
  const older = countOf("older", () => `older."number" < candidate."number" and ${waits("older")}`);
  const chosen =
    `select candidate."number" as "chosen" from ${jobs} as candidate ` +
    `where ${waiting} and ${live} + ${older} < cast(${bindings.bind(maxPerTenant)} as bigint) ` +
    `order by candidate."number" limit ${bindings.bind(max)}${executor.dialect === "postgres" ? " for update of candidate skip locked" : ""}`;
  const assignments = [
    `"status" = 'processing', "fence" = held."fence" + 1, "attempts" = held."attempts" + held."tried", "tried" = 1, "held" = 1`,
    `"due" = ${nowMs} + cast(${bindings.bind(Math.ceil(leaseMs))} as bigint)`,
    `"started" = coalesce(held."started", ${nowMs}), "changes" = held."changes" + 1`,
  ];
  const input = `(select "input" from ${inputs} where "job" = "id") as "input"`;
  return {
    // A sub-select in place of the materialized list could run, and lock, more than once.
    text:
      `with chosen as materialized (${chosen}) update ${jobs} as held set ${assignments.join(", ")} ` +
      `from chosen where held."number" = chosen."chosen" returning "number", ${stateColumns}, "fence", "cursor", ${input}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}
