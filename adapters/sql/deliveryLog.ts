import type { DeliveryQuery, DeliveryState } from "../../src/storage/deliveries.js";
import { Bindings } from "./bindings.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { webhookTables } from "./webhookTables.js";

const { deliveries } = webhookTables;

export function selectDelivery(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return { text: `select * from ${deliveries} where "id" = ${bindings.bind(id)}`, values: bindings.values, writes: false, returns: "one" };
}

/**
 * Milliseconds by which the order in which deliveries came may differ from that of the instants at which they were made: clocks are put back, and who
 * writes at once does not write in order.
 */
const slackMs = 3_600_000;

/** The deliveries of a webhook that a query asks for: those of each state in the order of an index, then as many of them all. */
export function listDeliveries(dialect: Dialect, query: DeliveryQuery): SqlStatement {
  const { states, order = "desc", limit } = query;
  const bindings = new Bindings(dialect);
  const select = (state?: DeliveryState) =>
    `select * from ${deliveries} as listed where ${conditionsOf(query, state, bindings)} order by listed."number" ${order} limit ${bindings.bind(limit)}`;
  const each = states === undefined ? [select()] : [...new Set(states)].map(select);
  const [only = `select * from ${deliveries} where false`, ...more] = each;
  const all = () => each.map((one) => `select * from (${one}) as of_state`).join(" union all ");
  const text = more.length === 0 ? only : `select * from (${all()}) as listed order by listed."number" ${order} limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

function conditionsOf(
  { webhook, type, since, until, latest = false, order = "desc", after }: DeliveryQuery,
  state: DeliveryState | undefined,
  bindings: Bindings,
): string {
  const integer = (value: number) => `cast(${bindings.bind(value)} as bigint)`;
  const conditions = [`listed."webhook" = ${bindings.bind(webhook)}`];
  if (state !== undefined) conditions.push(`listed."state" = ${bindings.bind(state)}`);
  if (type !== undefined) conditions.push(`listed."type" = ${bindings.bind(type)}`);
  if (since !== undefined) conditions.push(`listed."created" >= ${integer(since.getTime())}`);
  if (until !== undefined) conditions.push(`listed."created" < ${integer(until.getTime())}`);
  // One bound at either end: with two SQLite takes another index. Whoever goes on behind a delivery is past the instant already.
  if (after !== undefined) conditions.push(`listed."number" ${order === "asc" ? ">" : "<"} ${integer(after)}`);
  if (since !== undefined && (after === undefined || order === "desc")) {
    const before = `made."webhook" = ${bindings.bind(webhook)} and made."created" < ${integer(since.getTime() - slackMs)}`;
    conditions.push(`listed."number" >= coalesce((${nearest(before, "desc")}), 0)`);
  }
  if (until !== undefined && (after === undefined || order === "asc")) {
    const behind = `made."webhook" = ${bindings.bind(webhook)} and made."created" > ${integer(until.getTime() + slackMs)}`;
    conditions.push(`listed."number" <= coalesce((${nearest(behind, "asc")}), ${Number.MAX_SAFE_INTEGER})`);
  }
  if (latest) {
    const same = `later."event" = listed."event" and later."webhook" = listed."webhook"`;
    const later = `select 1 from ${deliveries} as later where ${same} and later."number" > listed."number" and later."trigger" <> 'test'`;
    conditions.push(`listed."trigger" <> 'test' and not exists (${later})`);
  }
  return conditions.join(" and ");
}

/** Place of the delivery that was made last before an instant, or first behind one. */
function nearest(condition: string, order: "asc" | "desc"): string {
  return `select made."number" from ${deliveries} as made where ${condition} order by made."created" ${order}, made."number" ${order} limit 1`;
}

export function countDeliveries(dialect: Dialect, webhook: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "state", count(*) as "deliveries" from ${deliveries} where "webhook" = ${bindings.bind(webhook)} group by "state"`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}
