import type { DeliveryClaim, DeliveryShares } from "../../../../../src/ground/storage/queue/deliveries.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { quoteIdentifier } from "../../schema/identifier.js";

/** The webhooks with deliveries that have not ended. Each webhook costs one index search, however many deliveries it has. */
export function busyWebhooks(dialect: Dialect): string {
  const next = firstBusy(dialect, `waiting."webhook" > busy."webhook"`);
  return `busy("webhook") as (${firstBusy(dialect, "true")} union all ${next} from busy where busy."webhook" is not null)`;
}

/** Orders by all columns of the index of open deliveries, so that the engine chooses this index. */
function firstBusy(dialect: Dialect, condition: string): string {
  const first = `select waiting."webhook" from ${dialect.place.own.deliveries} as waiting where waiting."ended" is null and ${condition}`;
  return `select (${first} order by waiting."webhook", waiting."due", waiting."number" limit 1)`;
}

/**
 * Active webhooks with open deliveries: how many deliveries each may have in flight, how many it has (counted up to its limit), and the sums of its tenant
 * and of slow webhooks.
 */
function readyWebhooks(dialect: Dialect, nowMs: string, maxPerWebhook: string, { slowMs }: DeliveryShares): string {
  const live = (column: string) =>
    `(select live.${column} from ${dialect.place.own.deliveries} as live where live."webhook" = busy."webhook" and live."state" = 'sending' and live."due" > ${nowMs}`;
  const most = `case when target."parallel" < ${maxPerWebhook} then target."parallel" else ${maxPerWebhook} end`;
  const oldest = `(select min("claimed") from ${live(`"claimed"`)} limit ${maxPerWebhook}) as live_claims)`;
  const slow = `case when target."slow" = 1 or ${oldest} <= ${nowMs} - ${whole(slowMs)} then 1 else 0 end`;
  const columns = [
    `busy."webhook", target."tenant", coalesce(target."paused", 0) as "paused", ${most} as "most", ${slow} as "slow"`,
    `(select count(*) from ${live(`"due"`)} limit ${maxPerWebhook}) as live_deliveries) as "live"`,
    `${live(`"due"`)} order by live."due" limit 1) as "ends"`,
  ];
  const slowLive = `case when "slow" = 1 then "live" else 0 end`;
  const slowEnds = `case when "slow" = 1 then "ends" end`;
  const totals = [
    `sum("live") over (partition by "tenant") as "tenant_live", min("ends") over (partition by "tenant") as "tenant_ends"`,
    `sum(${slowLive}) over (partition by "tenant") as "tenant_slow", min(${slowEnds}) over (partition by "tenant") as "tenant_slow_ends"`,
    `sum(${slowLive}) over () as "all_slow", min(${slowEnds}) over () as "all_slow_ends"`,
  ];
  return (
    `found as materialized (select ${columns.join(", ")} ` +
    `from busy cross join ${dialect.place.own.webhooks} as target where target."id" = busy."webhook" and target."active" = 1), ` +
    `ready as materialized (select found.*, ${totals.join(", ")} from found)`
  );
}

const unlimited: DeliveryShares = {
  maxPerTenant: Number.MAX_SAFE_INTEGER,
  maxSlowPerTenant: Number.MAX_SAFE_INTEGER,
  maxSlow: Number.MAX_SAFE_INTEGER,
  slowMs: Number.MAX_SAFE_INTEGER,
};

/**
 * Selects the deliveries of a claim: the first due ones of each webhook, within the limits of the webhook, its tenant and slow webhooks. Tenants with the
 * fewest deliveries in flight come first; within a tenant, webhooks with the fewest.
 *
 * The rows are locked, and rows that are locked by others are skipped.
 */
export function selectClaimable(dialect: Dialect, { max, maxPerWebhook, shares = unlimited }: DeliveryClaim, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  // Bound as a parameter, so that the text stays the same and its prepared statement is reused.
  const instant = `instant as materialized (select cast(${bindings.bind(Math.floor(nowMs))} as bigint) as "now")`;
  const [clock, most] = [`(select "now" from instant)`, whole(maxPerWebhook)];
  const [perTenant, slowPerTenant, slow] = [shares.maxPerTenant, shares.maxSlowPerTenant, shares.maxSlow].map(whole);
  const hasShare = `"tenant_live" < ${perTenant} and ("slow" = 0 or ("tenant_slow" < ${slowPerTenant} and "all_slow" < ${slow}))`;
  const free = `free as materialized (select * from ready where "paused" <= ${clock} and "live" < "most" and ${hasShare})`;
  const due = `from ${dialect.place.own.deliveries} as waiting where waiting."webhook" = free."webhook" and waiting."ended" is null and waiting."due" <= ${clock}`;
  const taken = dialect.planner.firstOfEach({
    ...{ table: dialect.place.own.deliveries, alias: "taken", key: `"number"`, inner: "waiting", columns: "waiting.*" },
    rest: `${due} order by waiting."due", waiting."number"`,
    ...{ limit: most, limitOfRow: `greatest(0, free."most" - free."live")`, skipsLocked: true },
  });
  const columns =
    `taken."number", taken."id", taken."due", taken."state", taken."attempts", taken."trigger", taken."claimed", taken."target", ` +
    `free."most", free."tenant", free."slow", free."tenant_live", free."tenant_slow", free."all_slow"`;
  const place = `free."live" + row_number() over (partition by free."webhook" order by taken."due", taken."number") as "place"`;
  const candidates = `candidates as materialized (select ${columns}, ${place} from free ${taken})`;
  const placed = (name: string, live: string, partition: string, order: string) =>
    `${live} + row_number() over (partition by ${partition} order by ${order}, "due", "number") as ${quoteIdentifier(name)}`;
  // Each limit applies to the rows that the previous limits left.
  const shared = [
    `of_webhooks as (select *, ${placed("slow_place", `"tenant_slow"`, `"tenant", "slow"`, `"place"`)} from candidates where "place" <= "most")`,
    `of_slow as (select *, ${placed("slow_rank", `"all_slow"`, `"slow"`, `"slow_place"`)} from of_webhooks where "slow" = 0 or "slow_place" <= ${slowPerTenant})`,
    `of_tenants as (select *, ${placed("tenant_place", `"tenant_live"`, `"tenant"`, `"place", "slow"`)} from of_slow where "slow" = 0 or "slow_rank" <= ${slow})`,
  ];
  return {
    text:
      `with recursive ${instant}, ${busyWebhooks(dialect)}, ${readyWebhooks(dialect, clock, most, shares)}, ${free}, ${candidates}, ${shared.join(", ")} ` +
      `select * from of_tenants where "tenant_place" <= ${perTenant} order by "tenant_place", "due", "number" limit ${bindings.bind(max)}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/**
 * Selects the milliseconds until a delivery can be claimed. A webhook at its limit waits for the end of one of its leases, even if further deliveries are
 * due; likewise if the limit of its tenant or of slow webhooks is reached.
 */
export function selectDueIn(dialect: Dialect, maxPerWebhook: number, shares: DeliveryShares = unlimited): SqlStatement {
  const open = `from ${dialect.place.own.deliveries} as waiting where waiting."webhook" = ready."webhook" and waiting."ended" is null`;
  const firstDue = `(select waiting."due" ${open} order by waiting."due" limit 1)`;
  // One instant for the whole statement: with a later one, leases that were counted as live could have expired.
  const instant = `instant as materialized (select ${dialect.now} as "now")`;
  const clock = `(select "now" from instant)`;
  const waits = [
    `when "slow" = 1 and "all_slow" >= ${whole(shares.maxSlow)} then "all_slow_ends"`,
    `when "slow" = 1 and "tenant_slow" >= ${whole(shares.maxSlowPerTenant)} then "tenant_slow_ends"`,
    `when "tenant_live" >= ${whole(shares.maxPerTenant)} then "tenant_ends"`,
    `when "live" >= "most" then "ends"`,
  ];
  const dues = `dues as (select case ${waits.join(" ")} else ${firstDue} end as "due", "paused" from ready)`;
  const text =
    `with recursive ${instant}, ${busyWebhooks(dialect)}, ${readyWebhooks(dialect, clock, whole(maxPerWebhook), shares)}, ${dues} ` +
    `select min(case when "due" < "paused" then "paused" else "due" end) - ${clock} as "dueIn" from dues`;
  return { text, values: [], writes: false, returns: "one" };
}

function whole(value: number): string {
  return String(Math.floor(value));
}
