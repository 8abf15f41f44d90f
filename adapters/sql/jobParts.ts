import type { JobEntry, NewJob } from "../../src/storage/jobs.js";
import { Bindings } from "./bindings.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { toJson } from "./jobRow.js";
import { jobTables } from "./jobTables.js";
import { writeRecordset } from "./recordset.js";

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
  const select = dialect.bulk ? fromRecordset(bindings, job, given) : fromJsonEach(bindings, job, given);
  const text = `insert into ${entries} ("job", "position", "value") ${select} on conflict ("job", "position") do nothing`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

function fromRecordset(bindings: Bindings, job: string, given: readonly JobEntry[]): string {
  const positions = { kind: "int", values: given.map(({ position }) => position) } as const;
  const values = { kind: "text", values: given.map(({ value }) => toJson(value)) } as const;
  const { source, json } = writeRecordset([positions, values], `$${bindings.values.length + 1}`);
  bindings.bind(json);
  return `select ${job}, given.c0, given.c1 from ${source} order by given.ord`;
}

/** SQLite would read "on conflict" as the condition of a join without the "where". Positions are integers, which it reads exactly. */
function fromJsonEach(bindings: Bindings, job: string, given: readonly JobEntry[]): string {
  const parameter = bindings.bind(JSON.stringify(given.map(({ position, value }) => [position, toJson(value)])));
  return `select ${job}, json_extract(item.value, '$[0]'), json_extract(item.value, '$[1]') from json_each(${parameter}) as item where true`;
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
