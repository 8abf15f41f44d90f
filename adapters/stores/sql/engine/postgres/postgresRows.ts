import type { RowRecords, Sequence } from "../rows.js";

/** Rows as one JSON parameter of PostgreSQL: one plan for any number of rows, and no limit on parameters. */
export const postgresRows: RowRecords = {
  form: "records",
  source: (parameter, columns) => `jsonb_to_recordset(${parameter}::text::jsonb) as given(ord int, ${columns.join(", ")})`,
  numbered: (parameter, columns, names) =>
    `rows from (json_to_recordset(${parameter}::text::json) as (${columns.join(", ")})) with ordinality as given(${names.join(", ")}, ord)`,
  // Through text: drivers that ask for the type of a parameter would encode JSON twice.
  shared: (parameter, kind, type) => `${parameter}::${kind === "json" || kind === "decimal" ? "text::" : ""}${type}`,
  json: (text) => `${text}::jsonb`,
  bytes: (text) => `decode(${text}, 'hex')`,
  lockFree: " for no key update skip locked",
  // It holds until the transaction ends. The planner keeps a function that may have effects, also if nothing uses its result.
  brief: "(select set_config('lock_timeout', '50', true)) as brief",
};

/** The sequence of an identity column. */
export const postgresSequence: Sequence = {
  // The sub-query runs once. Without it the function would look up the sequence for each row.
  next,
  draw: `select ${next("$1", "$2")} as "id" from generate_series(1, $3::int)`,
  advance: (reached) =>
    `select setval(numbering.name, reached.id) from (select pg_get_serial_sequence($1, $2)::regclass as name) as numbering, ` +
    `(select ${reached} as id) as reached where reached.id > coalesce(pg_sequence_last_value(numbering.name), 0)`,
  reached: "$3::bigint",
};

function next(table: string, id: string): string {
  return `nextval((select pg_get_serial_sequence(${table}, ${id})::regclass))`;
}
