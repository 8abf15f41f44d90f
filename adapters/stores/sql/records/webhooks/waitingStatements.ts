import type { NewEvent } from "../../../../../src/ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../../../src/ground/storage/queue/webhooks.js";
import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";

/** A delivery of a waiting event. */
export type WaitingDelivery = NewEvent["deliveries"][number];

/** Lets events wait, in the given order; returns their ids. One that waits already stays unchanged. */
export function insertWaiting(dialect: Dialect, given: readonly NewEvent[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const { source, names, order } = jsonRows(bindings, [
    { kind: "text", values: given.map(({ tenant = "" }) => tenant) },
    { kind: "text", values: given.map(({ id }) => id) },
    { kind: "text", values: given.map(({ type }) => type) },
    { kind: "int", values: given.map(({ deliveries }) => deliveries.length) },
    { kind: "text", values: given.map(({ deliveries }) => deliveriesToText(deliveries)) },
  ]);
  const select = `select ${names.join(", ")} from ${source} where true order by ${order}`;
  const text = `insert into ${dialect.place.own.waiting} ("tenant", "event", "type", "open", "deliveries") ${select} on conflict ("event") do nothing returning "event"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Marks that a webhook changed its state: what waits before the mark is not sent to it. Without a waiting event there is nothing to mark. */
export function markWaiting(dialect: Dialect, { id, tenant = "" }: Pick<Webhook, "id" | "tenant">): SqlStatement {
  const bindings = new Bindings(dialect);
  const { source, names } = jsonRows(bindings, [
    { kind: "text", values: [tenant] },
    { kind: "text", values: [id] },
  ]);
  const { waiting } = dialect.place.own;
  const where = `exists (select 1 from ${waiting} as earlier where earlier."tenant" = ${names[0]})`;
  const text = `insert into ${waiting} ("tenant", "webhook", "open", "deliveries") select ${names.join(", ")}, 0, '[]' from ${source} where ${where}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** The condition that an event of the tenant waits. */
export function isWaiting(dialect: Dialect, tenant: string): string {
  return `exists (select 1 from ${dialect.place.own.waiting} as earlier where earlier."tenant" = ${tenant})`;
}

/** Those of the tenants whose events wait. */
export function selectWaitingTenants(dialect: Dialect, tenants: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const given = dialect.list("text", bindings.bind(JSON.stringify(tenants)));
  const text = `select given.item as "tenant" from (${given}) as given where ${isWaiting(dialect, "given.item")}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** The tenant after the given one whose events wait, and the first one after the last; null if nothing waits. */
export function selectNextTenant(dialect: Dialect, after: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const first = (condition: string) => `(select min("tenant") from ${dialect.place.own.waiting}${condition})`;
  const next = after === undefined ? first("") : `coalesce(${first(` where "tenant" > ${bindings.bind(after)}`)}, ${first("")})`;
  return { text: `select ${next} as "tenant"`, values: bindings.values, writes: false, returns: "one" };
}

/** Selects the first waiting events and marks of a tenant: their numbers, and how many deliveries each has. */
export function selectFirst(dialect: Dialect, tenant: string, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"tenant" = ${bindings.bind(tenant)}`;
  const text = `select "number", "open" from ${dialect.place.own.waiting} where ${where} order by "number" limit ${bindings.bind(max)}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Selects waiting events and marks, and locks them until the transaction ends: other processes make the deliveries of the tenant after these. */
export function lockWaiting(dialect: Dialect, numbers: readonly number[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"number" in (${dialect.list("int", bindings.bind(JSON.stringify(numbers)))})`;
  const text = `select "number", "event", "type", "deliveries" from ${dialect.place.own.waiting} where ${where} order by "number"${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Selects the last mark of each webhook of a tenant. */
export function selectMarks(dialect: Dialect, tenant: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"tenant" = ${bindings.bind(tenant)} and "webhook" is not null`;
  const text = `select "webhook", max("number") as "number" from ${dialect.place.own.waiting} where ${where} group by "webhook"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

export function deleteWaiting(dialect: Dialect, numbers: readonly number[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${dialect.place.own.waiting} where "number" in (${dialect.list("int", bindings.bind(JSON.stringify(numbers)))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Keeps what is left of the deliveries of a waiting event. */
export function updateWaiting(dialect: Dialect, number: number, left: readonly WaitingDelivery[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments = `"open" = cast(${bindings.bind(left.length)} as bigint), "deliveries" = ${bindings.bind(deliveriesToText(left))}`;
  const text = `update ${dialect.place.own.waiting} set ${assignments} where "number" = cast(${bindings.bind(number)} as bigint)`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Ids and webhooks in turn: names of members would double the text. */
function deliveriesToText(deliveries: readonly WaitingDelivery[]): string {
  return JSON.stringify(deliveries.flatMap(({ id, webhook }) => [id, webhook]));
}

export function deliveriesOfText(text: string): readonly WaitingDelivery[] {
  const parts = JSON.parse(text) as readonly string[];
  const pairs = Array.from({ length: parts.length / 2 }, (_, index) => ({ id: parts[2 * index], webhook: parts[2 * index + 1] }));
  return pairs as readonly WaitingDelivery[];
}
