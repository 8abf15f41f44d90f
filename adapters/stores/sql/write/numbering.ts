import type { Id } from "../../../../src/ground/storage/scalar.js";
import { run, type Session } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";

/** The parameters that name the sequence of a table. */
export function sequenceOf(table: OwnTable): readonly [string, string] {
  return [table.quoted, table.id.name];
}

/** An expression for the next number. `table` and `column` are the placeholders of `sequenceOf`. */
export function nextNumber(table: string, column: string): string {
  // The sub-query runs once. Without it the function would look up the sequence for each row.
  return `nextval((select pg_get_serial_sequence(${table}, ${column})::regclass))`;
}

/**
 * Moves PostgreSQL's sequence past an id that the caller assigned (`"all"`: past every id of the table), so that assigned numbers continue after it.
 * SQLite does so itself.
 */
export async function advanceNumbering(session: Session, table: OwnTable, id: Id | "all"): Promise<void> {
  if (table.dialect.name !== "postgres" || table.model.idFrom !== "store") return;
  const reached = id === "all" ? `(select max(${table.id.quoted}) from ${table.quoted})` : "$3::bigint";
  const text =
    `select setval(numbering.name, reached.id) from (select pg_get_serial_sequence($1, $2)::regclass as name) as numbering, ` +
    `(select ${reached} as id) as reached where reached.id > coalesce(pg_sequence_last_value(numbering.name), 0)`;
  const values = id === "all" ? sequenceOf(table) : [...sequenceOf(table), table.id.encode(id)];
  await run(session, { text, values, writes: true, returns: "one", bigints: true });
}

/** Takes the next numbers of the sequence, in order. */
export async function drawNumbers(session: Session, table: OwnTable, count: number): Promise<Id[]> {
  const text = `select ${nextNumber("$1", "$2")} as "id" from generate_series(1, $3::int)`;
  const { rows } = await run(session, { text, values: [...sequenceOf(table), count], writes: true, returns: "many", bigints: true });
  return rows.map((row) => table.id.decode(row["id"]) as Id);
}
