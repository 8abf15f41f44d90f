import type { ClaimedJob, ClaimRequest } from "../../../src/storage/jobs.js";
import { Bindings } from "../engine/bindings.js";
import { now } from "../engine/clock.js";
import type { SqlStatement } from "../engine/executor.js";
import { joined, run, type Session } from "../engine/session.js";
import { quoteText } from "../schema/identifier.js";
import { stateColumns, toClaimed } from "./jobRow.js";

/** First key of the advisory lock; the second one is the id of the table. Any fixed number will do. */
const advisoryLock = 729_310_455;

/**
 * Leases the oldest jobs that are due, within the limit per tenant.
 *
 * On PostgreSQL claims run one after the other, so that each counts the leases of the previous ones. Jobs that are locked by a transaction are skipped.
 */
export async function claimJobs(session: Session, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const { dialect, presence } = session.executor;
  const holder = await presence?.holder();
  const claim = async (inner: Session, nowMs: string) => {
    const { rows } = await run(inner, updateClaimed(inner, { ...request, holder }, nowMs));
    return rows.toSorted((left, right) => Number(left["number"]) - Number(right["number"])).map(toClaimed);
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
function updateClaimed(
  { dialect }: Session,
  { types, leaseMs, max, maxPerTenant, holder }: ClaimRequest & { readonly holder: number | undefined },
  nowMs: string,
): SqlStatement {
  const bindings = new Bindings(dialect);
  const waits = (name: string) => {
    const list = dialect.list("text", bindings.bind(JSON.stringify(types)));
    return `${name}."finished" is null and ${name}."due" <= ${nowMs} and ${name}."type" in (${list})`;
  };
  const countOf = (name: string, condition: () => string) => {
    const some = `select 1 from ${dialect.place.own.jobs} as ${name} where ${name}."tenant" = candidate."tenant" and ${condition()}`;
    return `(select count(*) from (${some} limit ${bindings.bind(maxPerTenant)}) as ${name}_jobs)`;
  };
  const waiting = waits("candidate");
  const live = countOf("live", () => `live."held" = 1 and live."due" > ${nowMs}`);
  const older = countOf("older", () => `older."number" < candidate."number" and ${waits("older")}`);
  const chosen =
    `select candidate."number" as "chosen" from ${dialect.place.own.jobs} as candidate ` +
    `where ${waiting} and ${live} + ${older} < cast(${bindings.bind(maxPerTenant)} as bigint) ` +
    `order by candidate."number" limit ${bindings.bind(max)}${dialect.name === "postgres" ? " for update of candidate skip locked" : ""}`;
  const assignments = [
    `"status" = 'processing', "fence" = held."fence" + 1, "attempts" = held."attempts" + held."tried", "tried" = 1, "held" = 1, "holder" = ${holder ?? "null"}`,
    `"due" = ${nowMs} + cast(${bindings.bind(Math.ceil(leaseMs))} as bigint)`,
    `"started" = coalesce(held."started", ${nowMs}), "changes" = held."changes" + 1`,
  ];
  const input = `(select "input" from ${dialect.place.own.jobInputs} where "job" = "id") as "input"`;
  return {
    // Materialized: a sub-select could run, and lock rows, more than once.
    text:
      `with chosen as materialized (${chosen}) update ${dialect.place.own.jobs} as held set ${assignments.join(", ")} ` +
      `from chosen where held."number" = chosen."chosen" returning "number", ${stateColumns}, "fence", "cursor", "trace", ${input}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}
