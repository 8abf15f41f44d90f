import type { DeliveryClaim } from "../../src/storage/deliveries.js";
import { Bindings } from "./bindings.js";
import { now } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { webhookTables } from "./webhookTables.js";

const { deliveries, webhooks } = webhookTables;

/** The webhooks that have deliveries which are not over, one after the other: each costs one search of the index, however many it has. */
export const busyWebhooks = `busy("webhook") as (${firstBusy("true")} union all ${firstBusy(`waiting."webhook" > busy."webhook"`)} from busy where busy."webhook" is not null)`;

/** The whole order of the index of what is not over, which no other has. */
function firstBusy(condition: string): string {
  const first = `select waiting."webhook" from ${deliveries} as waiting where waiting."ended" is null and ${condition}`;
  return `select (${first} order by waiting."webhook", waiting."due", waiting."number" limit 1)`;
}

/** Active webhooks with deliveries that are not over: how many may be under way, and how many are, as far as that matters. */
function readyWebhooks(nowMs: string, maxPerWebhook: string, condition: string): string {
  const live = `select 1 from ${deliveries} as live where live."webhook" = busy."webhook" and live."state" = 'sending' and live."due" > ${nowMs}`;
  const most = `case when target."parallel" < ${maxPerWebhook} then target."parallel" else ${maxPerWebhook} end`;
  return (
    `ready as materialized (select busy."webhook", coalesce(target."paused", 0) as "paused", ${most} as "most", ` +
    `(select count(*) from (${live} limit ${maxPerWebhook}) as live_deliveries) as "live" ` +
    `from busy cross join ${webhooks} as target where target."id" = busy."webhook" and target."active" = 1${condition})`
  );
}

/**
 * What a claim takes: of each webhook the first ones that are due, as many as it may have; first those of webhooks with the fewest under way.
 *
 * On PostgreSQL they are locked, and those that somebody else has locked are passed over.
 */
export function selectClaimable(dialect: Dialect, { max, maxPerWebhook }: DeliveryClaim, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const [clock, most] = [`${Math.floor(nowMs)}`, `${Math.floor(maxPerWebhook)}`];
  const due = `from ${deliveries} as waiting where waiting."webhook" = ready."webhook" and waiting."ended" is null and waiting."due" <= ${clock}`;
  const first = `${due} order by waiting."due", waiting."number" limit`;
  const taken =
    dialect.name === "postgres"
      ? `cross join lateral (select waiting.* ${first} greatest(0, ready."most" - ready."live") for update skip locked) as taken`
      : `cross join ${deliveries} as taken on taken."number" in (select waiting."number" ${first} ${most})`;
  const columns = `taken."number", taken."id", taken."due", taken."state", taken."attempts", taken."trigger", taken."claimed"`;
  const place = `ready."live" + row_number() over (partition by ready."webhook" order by taken."due", taken."number") as "place"`;
  const candidates = `candidates as materialized (select ${columns}, ready."most", ${place} from ready ${taken})`;
  const ready = readyWebhooks(clock, most, ` and coalesce(target."paused", 0) <= ${clock}`);
  return {
    text:
      `with recursive ${busyWebhooks}, ${ready}, ${candidates} select * from candidates where "place" <= "most" ` +
      `order by "place", "due", "number" limit ${bindings.bind(max)}`,
    values: bindings.values,
    writes: true,
    returns: "many",
  };
}

/**
 * Milliseconds until something may be claimed. A webhook that has as many under way as it may waits for the end of one of those leases, also with what
 * is over already.
 */
export function selectDueIn(dialect: Dialect, maxPerWebhook: number): SqlStatement {
  const firstDue = (condition: string) =>
    `(select waiting."due" from ${deliveries} as waiting where waiting."webhook" = ready."webhook" and ${condition} order by waiting."due" limit 1)`;
  // One instant for all: by a later one the leases that were counted as live might be over.
  const instant = `instant as materialized (select ${now[dialect.name]} as "now")`;
  const clock = `(select "now" from instant)`;
  const live = firstDue(`waiting."state" = 'sending' and waiting."due" > ${clock}`);
  const due = `case when "live" >= "most" then ${live} else ${firstDue(`waiting."ended" is null`)} end`;
  const ready = readyWebhooks(clock, `${Math.floor(maxPerWebhook)}`, "");
  const dues = `dues as (select ${due} as "due", "paused" from ready)`;
  const text =
    `with recursive ${instant}, ${busyWebhooks}, ${ready}, ${dues} ` +
    `select min(case when "due" < "paused" then "paused" else "due" end) - ${clock} as "dueIn" from dues`;
  return { text, values: [], writes: false, returns: "one" };
}
