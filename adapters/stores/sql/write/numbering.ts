import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { Dialect } from "../engine/dialect.js";
import type { Sequence } from "../engine/rows.js";
import { run, type Session } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";

/** The parameters that name the sequence of a table. */
export function sequenceOf(table: OwnTable): readonly [string, string] {
  return [table.quoted, table.id.name];
}

/** The sequence of an engine. @throws {Error} if it has none: a fault of the caller */
export function sequenceIn({ sequence, title }: Dialect): Sequence {
  if (sequence === undefined) throw new Error(`${title} has no sequences.`);
  return sequence;
}

/**
 * Moves the sequence past an id that the caller assigned (`"all"`: past every id of the table), so that assigned numbers continue after it.
 * Engines without sequences do so themselves.
 */
export async function advanceNumbering(session: Session, table: OwnTable, id: Id | "all"): Promise<void> {
  const { sequence } = table.dialect;
  if (sequence === undefined || table.model.idFrom !== "store") return;
  const text = sequence.advance(id === "all" ? `(select max(${table.id.quoted}) from ${table.quoted})` : sequence.reached);
  const values = id === "all" ? sequenceOf(table) : [...sequenceOf(table), table.id.encode(id)];
  await run(session, { text, values, writes: true, returns: "one", bigints: true });
}

/** Takes the next numbers of the sequence, in order. */
export async function drawNumbers(session: Session, table: OwnTable, count: number): Promise<Id[]> {
  const { draw: text } = sequenceIn(table.dialect);
  const { rows } = await run(session, { text, values: [...sequenceOf(table), count], writes: true, returns: "many", bigints: true });
  return rows.map((row) => table.id.decode(row["id"]) as Id);
}
