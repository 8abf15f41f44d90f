import type { DeliveryQuery, DeliveryState } from "../../../../../src/ground/storage/queue/deliveries.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";

export function selectDelivery(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return {
    text: `select * from ${dialect.place.own.deliveries} where "id" = ${bindings.bind(id)}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

/**
 * How far, in milliseconds, creation times may be out of the order of the delivery numbers: clocks may be set back, and concurrent writes are not ordered.
 */
const slackMs = 3_600_000;

/** Selects deliveries of a webhook. Each state is read in the order of an index; the results are then merged and limited. */
export function listDeliveries(dialect: Dialect, query: DeliveryQuery): SqlStatement {
  const { states, order = "desc", limit } = query;
  const bindings = new Bindings(dialect);
  const select = (state?: DeliveryState) =>
    `select * from ${dialect.place.own.deliveries} as listed where ${conditionsOf(dialect, query, state, bindings)} order by listed."number" ${order} limit ${bindings.bind(limit)}`;
  const each = states === undefined ? [select()] : [...new Set(states)].map(select);
  const [only = `select * from ${dialect.place.own.deliveries} where false`, ...more] = each;
  const all = () => each.map((one) => `select * from (${one}) as of_state`).join(" union all ");
  const text = more.length === 0 ? only : `select * from (${all()}) as listed order by listed."number" ${order} limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

function conditionsOf(
  dialect: Dialect,
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
  // At most one bound at each end: with two, SQLite chooses another index. A page after a delivery has already passed the instant.
  if (after !== undefined) conditions.push(`listed."number" ${order === "asc" ? ">" : "<"} ${integer(after)}`);
  if (since !== undefined && (after === undefined || order === "desc")) {
    const before = `made."webhook" = ${bindings.bind(webhook)} and made."created" < ${integer(since.getTime() - slackMs)}`;
    conditions.push(`listed."number" >= coalesce((${nearest(dialect, before, "desc")}), 0)`);
  }
  if (until !== undefined && (after === undefined || order === "asc")) {
    const later = `made."webhook" = ${bindings.bind(webhook)} and made."created" > ${integer(until.getTime() + slackMs)}`;
    conditions.push(`listed."number" <= coalesce((${nearest(dialect, later, "asc")}), ${Number.MAX_SAFE_INTEGER})`);
  }
  if (latest) {
    const same = `later."event" = listed."event" and later."webhook" = listed."webhook"`;
    const later = `select 1 from ${dialect.place.own.deliveries} as later where ${same} and later."number" > listed."number" and later."trigger" <> 'test'`;
    conditions.push(`listed."trigger" <> 'test' and not exists (${later})`);
  }
  return conditions.join(" and ");
}

/** Selects the number of the last delivery before an instant, or of the first one after it. */
function nearest(dialect: Dialect, condition: string, order: "asc" | "desc"): string {
  return `select made."number" from ${dialect.place.own.deliveries} as made where ${condition} order by made."created" ${order}, made."number" ${order} limit 1`;
}

export function countDeliveries(dialect: Dialect, webhook: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "state", count(*) as "deliveries" from ${dialect.place.own.deliveries} where "webhook" = ${bindings.bind(webhook)} group by "state"`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

/** Selects the times of the tests of a tenant's webhooks, newest first. */
export function selectTestTimes(dialect: Dialect, tenant: string | undefined, since: Date, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"trigger" = 'test' and "tenant" = ${bindings.bind(tenant ?? "")} and "created" >= cast(${bindings.bind(since.getTime())} as bigint)`;
  const text = `select "created" from ${dialect.place.own.deliveries} where ${where} order by "created" desc limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}
