import type { Dialect } from "../../engine/dialect.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { ownIndex } from "../../schema/ownIndex.js";
import type { AddedColumn, IndexDefinition } from "../../schema/schema.js";

/** Statements that create the tables, their indexes, and columns that older tables do not have. */
export function createSubscriberTables(dialect: Dialect): {
  readonly tables: readonly string[];
  readonly added: readonly AddedColumn[];
  readonly indexes: readonly IndexDefinition[];
} {
  const { columnType, place } = dialect;
  return {
    tables: tablesOf(dialect),
    added: [
      // The id of the claim that made the lease.
      { table: "tasks", name: "claim", type: columnType("text") },
      // When an ephemeral subscriber is retired.
      { table: "subscribers", name: "until", type: columnType("int") },
    ],
    indexes: [
      // A claim goes from tenant to tenant in it, and finds tasks that it may take at every step.
      ownIndex(place, "tasks", "ready", `("name", "tenant", "due", "number") where "ready" = 1`),
      ownIndex(place, "tasks", "later", `("name", "due", "number") where "ready" = 0`),
      ownIndex(place, "tasks", "running", `("due") where "state" = 'running'`),
      // The filters of the log, each in the order of the log.
      ownIndex(place, "tasks", "states", `("name", "state", "number")`),
      ownIndex(place, "tasks", "types", `("name", "type", "number")`),
      ownIndex(place, "tasks", "tenants", `("name", "tenant", "number")`),
      ownIndex(place, "tasks", "ended", `("ended") where "ended" is not null`),
      ownIndex(place, "tasks", "event", `("event")`),
    ],
  };
}

function tablesOf({ bytes: { type: bytes }, columnType, place, schema: { numberedColumn } }: Dialect): readonly string[] {
  const [text, integer] = [columnType("text"), columnType("int")];
  const named = (columns: readonly string[], type: string) => columns.map((column) => `${quoteIdentifier(column)} ${type}`);
  const table = (quoted: string, definitions: readonly string[]) => `create table if not exists ${quoted} (${definitions.join(", ")})`;
  return [
    table(place.own.subscribers, [
      `"name" ${text} not null primary key`,
      // A JSON array.
      `"patterns" ${text} not null`,
      `"seen" ${integer} not null`,
      `"retired" ${integer}`,
    ]),
    table(place.own.subscriberEvents, [
      `"id" ${text} not null primary key`,
      ...named(["type", "tenant"], `${text} not null`),
      `"created" ${integer} not null`,
      `"body" ${bytes} not null`,
      `"trace" ${text}`,
    ]),
    table(place.own.tasks, [
      // The order of creation.
      `"number" ${numberedColumn}`,
      `"id" ${text} not null unique`,
      ...named(["name", "event", "type", "tenant", "state"], `${text} not null`),
      // "due": when the task can be claimed; while it is running, the end of the lease.
      ...named(["attempts", "interrupted", "fence", "due", "created"], `${integer} not null`),
      // "ready": 1 if a claim may take the task, 0 if it waits until it is due, null if it has ended. "holder": the process that holds the lease.
      ...named(["ready", "holder", "ended"], integer),
      ...named(["error"], text),
    ]),
  ];
}
