import type { JobEntry, NewJob } from "../../src/storage/jobs.js";
import { Bindings } from "./bindings.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { toJson } from "./jobRow.js";
import { jobTables } from "./jobTables.js";
import { jsonRows } from "./jsonRows.js";

const { entries, inputs } = jobTables;

export function insertInput(dialect: Dialect, { id, input }: NewJob): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `insert into ${inputs} ("job", "input") values (${bindings.bind(id)}, ${bindings.bind(toJson(input))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** All entries by one parameter. What is there already stays. */
export function insertEntries(dialect: Dialect, id: string, given: readonly JobEntry[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const job = `cast(${bindings.bind(id)} as text)`;
  const { source, names, order } = jsonRows(bindings, [
    { kind: "int", values: given.map(({ position }) => position) },
    { kind: "text", values: given.map(({ value }) => toJson(value)) },
  ]);
  // SQLite would read "on conflict" as the condition of a join without the "where".
  const select = `select ${job}, ${names.join(", ")} from ${source} where true order by ${order}`;
  const text = `insert into ${entries} ("job", "position", "value") ${select} on conflict ("job", "position") do nothing`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

export function selectEntries(dialect: Dialect, id: string, after: number, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"job" = ${bindings.bind(id)} and "position" > cast(${bindings.bind(after)} as bigint)`;
  const text = `select "position", "value" from ${entries} where ${where} order by "position" limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

/** Deletes the inputs of jobs. */
export function deleteInputs(dialect: Dialect, ids: readonly string[]): SqlStatement {
  return deleteOf(dialect, inputs, ids);
}

/** Deletes all that jobs have beside their rows. */
export function deleteParts(dialect: Dialect, ids: readonly string[]): readonly SqlStatement[] {
  return [inputs, entries].map((table) => deleteOf(dialect, table, ids));
}

function deleteOf(dialect: Dialect, table: string, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${table} where "job" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}
