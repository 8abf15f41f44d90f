import type { Dialect } from "../engine/dialect.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { ownIndex } from "../schema/ownIndex.js";
import type { AddedColumn, IndexDefinition } from "../schema/schema.js";

/** Statements that create the tables and their indexes. */
export function createJobTables({ columnType, place, schema: { numberedColumn } }: Dialect): {
  readonly tables: readonly string[];
  readonly added: readonly AddedColumn[];
  readonly indexes: readonly IndexDefinition[];
} {
  const [text, integer] = [columnType("text"), columnType("int")];
  const named = (names: readonly string[], type: string) => names.map((column) => `${quoteIdentifier(column)} ${type}`);
  const columns = [
    // The order of creation.
    `"number" ${numberedColumn}`,
    `"id" ${text} not null unique`,
    ...named(["type", "tenant", "owner", "status", "counts"], `${text} not null`),
    // "tried": whether the next claim counts an attempt. "held": whether the last lease was not given back; it then expires at "due".
    ...named(["attempts", "tried", "fence", "held", "due", "cancel", "processed", "created", "changes"], `${integer} not null`),
    ...named(["total", "started", "advanced", "finished"], integer),
    ...named(["rate"], columnType("number")),
    ...named(["cursor", "result", "error"], text),
  ];
  const table = (quoted: string, definitions: readonly string[]) => `create table if not exists ${quoted} (${definitions.join(", ")})`;
  return {
    tables: [
      table(place.own.jobs, columns),
      table(place.own.jobInputs, [`"job" ${text} not null primary key`, `"input" ${text}`]),
      table(place.own.jobEntries, [`"job" ${text} not null`, `"position" ${integer} not null`, `"value" ${text}`, `primary key ("job", "position")`]),
    ],
    added: [
      // The process that holds the lease.
      { table: "jobs", name: "holder", type: integer },
      { table: "jobs", name: "trace", type: text },
      // The id of the claim that made the lease.
      { table: "jobs", name: "claim", type: text },
      { table: "jobs", name: "key", type: text },
    ],
    indexes: [
      // "due" is 0 for jobs that are ready: a claim walks over them alone. The others wait for their time, or for the end of their lease.
      ownIndex(place, "jobs", "ready", `("type", "tenant", "number") where "finished" is null and "due" = 0`),
      ownIndex(place, "jobs", "later", `("due") where "finished" is null and "due" > 0`),
      // Conditions that no claim has, so that the engine does not choose them for one.
      ownIndex(place, "jobs", "free", `("number") where "finished" is null and "held" = 0`),
      ownIndex(place, "jobs", "queued", `("tenant") where "finished" is null and "status" = 'queued'`),
      ownIndex(place, "jobs", "held", `("tenant", "due") where "held" = 1`),
      ownIndex(place, "jobs", "key", `("type", "tenant", "key") where "finished" is null and "key" is not null`, { isUnique: true }),
      ownIndex(place, "jobs", "finished", `("finished") where "finished" is not null`),
    ],
  };
}
