import type { Dialect } from "../../engine/dialect.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { ownIndex } from "../../schema/ownIndex.js";
import type { OwnTableName } from "../../schema/place.js";
import type { AddedColumn, IndexDefinition } from "../../schema/schema.js";

/** Columns that tables of older versions do not have; `null` in existing rows. */
const added: readonly { readonly table: OwnTableName; readonly name: string; readonly kind: "text" | "int" }[] = [
  // Previous secrets as JSON, newest first.
  { table: "webhooks", name: "rotated", kind: "text" },
  // Whether the last attempt timed out.
  { table: "webhooks", name: "slow", kind: "int" },
  // The URL of the attempt.
  { table: "attempts", name: "url", kind: "text" },
  // "target": the URL of the last lease. "url": the URL of the last attempt.
  { table: "deliveries", name: "target", kind: "text" },
  { table: "deliveries", name: "url", kind: "text" },
  // The number of interrupted attempts.
  { table: "deliveries", name: "interrupted", kind: "int" },
  { table: "events", name: "trace", kind: "text" },
  // The row that a scope is judged with.
  { table: "events", name: "subject", kind: "text" },
  // The owner as JSON.
  { table: "webhooks", name: "principal", kind: "text" },
  // The process that holds the lease.
  { table: "deliveries", name: "holder", kind: "int" },
  // The id of the claim that made the lease.
  { table: "deliveries", name: "claim", kind: "text" },
];

interface WebhookTables {
  readonly tables: readonly string[];
  readonly added: readonly AddedColumn[];
  readonly indexes: readonly IndexDefinition[];
}

/** Statements that create the tables, their indexes, and columns that older tables do not have. */
export function createWebhookTables(dialect: Dialect): WebhookTables {
  const columns = columnsOf(dialect);
  return {
    added: added.map(({ table, name, kind }) => ({ table, name, type: dialect.columnType(kind) })),
    tables: Object.entries(columns).map(([table, definitions]) => `create table if not exists ${table} (${definitions.join(", ")})`),
    indexes: [
      ownIndex(dialect.place, "webhooks", "tenant", `("tenant", "id")`),
      // Deliveries that have not ended, by webhook and due time. A claim goes from webhook to webhook in it.
      ownIndex(dialect.place, "deliveries", "open", `("webhook", "due", "number") where "ended" is null`),
      ownIndex(dialect.place, "deliveries", "sending", `("webhook", "due") where "state" = 'sending'`),
      // The filters of the log, each in the order of the log. With "created" it finds the position of an instant in that order.
      ownIndex(dialect.place, "deliveries", "log", `("webhook", "number")`),
      ownIndex(dialect.place, "deliveries", "types", `("webhook", "type", "number")`),
      ownIndex(dialect.place, "deliveries", "states", `("webhook", "state", "number")`),
      ownIndex(dialect.place, "deliveries", "made", `("webhook", "created", "number")`),
      // How often a tenant tested its webhooks recently.
      ownIndex(dialect.place, "deliveries", "tests", `("tenant", "created") where "trigger" = 'test'`),
      ownIndex(dialect.place, "deliveries", "ended", `("ended") where "ended" is not null`),
      ownIndex(dialect.place, "deliveries", "event", `("event", "webhook", "number")`),
      ownIndex(dialect.place, "waiting", "tenant", `("tenant", "number", "open")`),
      ownIndex(dialect.place, "waiting", "marks", `("tenant", "webhook", "number") where "webhook" is not null`),
    ],
  };
}

function columnsOf({
  bytes: { type: bytes },
  columnType,
  place: { own },
  schema: { numberedColumn },
}: Dialect): Readonly<Record<string, readonly string[]>> {
  const [text, integer] = [columnType("text"), columnType("int")];
  const named = (columns: readonly string[], type: string) => columns.map((column) => `${quoteIdentifier(column)} ${type}`);
  return {
    [own.webhooks]: [
      `"id" ${text} not null primary key`,
      ...named(["tenant", "owner", "url", "events", "secret", "hint", "version"], `${text} not null`),
      ...named(["filter", "api", "previous", "certificate", "reason"], text),
      ...named(["active", "failures", "created", "updated"], `${integer} not null`),
      ...named(["previous_until", "failing", "disabled", "paused", "parallel"], integer),
    ],
    [own.generations]: [`"tenant" ${text} not null primary key`, `"generation" ${text} not null`],
    [own.events]: [
      `"id" ${text} not null primary key`,
      ...named(["type", "tenant"], `${text} not null`),
      `"created" ${integer} not null`,
      `"body" ${bytes} not null`,
    ],
    [own.deliveries]: [
      // The order of creation.
      `"number" ${numberedColumn}`,
      `"id" ${text} not null unique`,
      ...named(["event", "type", "webhook", "tenant", "trigger", "state"], `${text} not null`),
      // "due": when the delivery can be claimed; while it is being sent, the end of the lease. "claimed": when the lease began.
      ...named(["attempts", "fence", "due", "created", "claimed"], `${integer} not null`),
      ...named(["ended", "last", "status"], integer),
      ...named(["error"], text),
    ],
    [own.waiting]: [
      // The order in which the deliveries are made.
      `"number" ${numberedColumn}`,
      `"tenant" ${text} not null`,
      `"event" ${text} unique`,
      ...named(["type", "webhook"], text),
      // "webhook" is set in a mark, which has no event: what waits before it is not sent to this webhook any more.
      // "open": how many deliveries are to be made. "deliveries": their ids and webhooks as JSON, in turn.
      `"open" ${integer} not null`,
      `"deliveries" ${text} not null`,
    ],
    [own.attempts]: [
      `"delivery" ${text} not null`,
      ...named(["n", "started", "latency", "interrupted"], `${integer} not null`),
      `"trigger" ${text} not null`,
      ...named(["status"], integer),
      ...named(["error"], text),
      `"body" ${bytes} not null`,
      `primary key ("delivery", "n")`,
    ],
  };
}
