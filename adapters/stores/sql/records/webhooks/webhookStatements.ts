import { randomUUID } from "node:crypto";
import type { Webhook } from "../../../../../src/ground/storage/queue/webhooks.js";
import { Bindings, write } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { toColumns } from "./webhookRow.js";

export function selectNow(dialect: Dialect): SqlStatement {
  return { text: `select ${dialect.now} as "now"`, values: [], writes: false, returns: "one" };
}

export function insertWebhook(dialect: Dialect, webhook: Webhook): SqlStatement {
  const bindings = new Bindings(dialect);
  const { names, values } = bound(webhook, bindings);
  const columns = names.map(quoteIdentifier).join(", ");
  return write(`insert into ${dialect.place.own.webhooks} (${columns}) values (${values.join(", ")}) on conflict ("id") do nothing`, bindings);
}

/** Writes all columns of a webhook that was locked. */
export function updateWebhook(dialect: Dialect, webhook: Webhook): SqlStatement {
  const bindings = new Bindings(dialect);
  const { names, values } = bound(webhook, bindings);
  const assignments = names.map((name, index) => `${quoteIdentifier(name)} = ${values[index]}`).join(", ");
  return write(`update ${dialect.place.own.webhooks} set ${assignments} where "id" = ${bindings.bind(webhook.id)}`, bindings);
}

export function selectWebhook(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return {
    text: `select * from ${dialect.place.own.webhooks} where "id" = ${bindings.bind(id)}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

/** Selects the webhook and the time, and locks the webhook until the transaction ends. */
export function lockWebhook(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select *, ${dialect.now} as "now" from ${dialect.place.own.webhooks} where "id" = ${bindings.bind(id)}${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function selectWebhooks(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select * from ${dialect.place.own.webhooks} where "id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

export function listWebhooks(dialect: Dialect, tenant: string | undefined, after: string | undefined, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"tenant" = ${bindings.bind(tenant ?? "")}${after === undefined ? "" : ` and "id" > ${bindings.bind(after)}`}`;
  const text = `select * from ${dialect.place.own.webhooks} where ${where} order by "id" limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

export function countWebhooks(dialect: Dialect, tenant: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select count(*) as "webhooks" from ${dialect.place.own.webhooks} where "tenant" = ${bindings.bind(tenant ?? "")}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function deleteWebhook(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${dialect.place.own.webhooks} where "id" = ${bindings.bind(id)}`, bindings);
}

export function listActive(dialect: Dialect, tenant: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select * from ${dialect.place.own.webhooks} where "tenant" = ${bindings.bind(tenant ?? "")} and "active" = 1 order by "id"`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

export function selectGeneration(dialect: Dialect, tenant: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "generation" from ${dialect.place.own.generations} where "tenant" = ${bindings.bind(tenant ?? "")}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

/** Gives the list of a tenant's webhooks a new generation. It is random: a counter would repeat a value after a rollback. */
export function renewGeneration(dialect: Dialect, tenant: string | undefined): SqlStatement {
  const bindings = new Bindings(dialect);
  const values = `values (${bindings.bind(tenant ?? "")}, ${bindings.bind(randomUUID())})`;
  const text = `insert into ${dialect.place.own.generations} ("tenant", "generation") ${values} on conflict ("tenant") do update set "generation" = excluded."generation"`;
  return write(text, bindings);
}

/** Cancels the pending deliveries of a webhook. */
export function cancelPending(dialect: Dialect, webhook: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"webhook" = ${bindings.bind(webhook)} and "ended" is null and "state" = 'pending'`;
  return write(`update ${dialect.place.own.deliveries} set "state" = 'canceled', "ended" = ${dialect.now} where ${where}`, bindings);
}

function bound(webhook: Webhook, bindings: Bindings): { readonly names: readonly string[]; readonly values: readonly string[] } {
  const { texts, integers } = toColumns(webhook);
  return {
    names: [...Object.keys(texts), ...Object.keys(integers)],
    values: [
      ...Object.values(texts).map((value) => bindings.bind(value)),
      ...Object.values(integers).map((value) => `cast(${bindings.bind(value)} as bigint)`),
    ],
  };
}
