import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import type { Dialect } from "../engine/dialect.js";
import type { RowRecords } from "../engine/rows.js";

/** One column of rows that a statement receives as one JSON parameter. */
export interface RecordsetColumn {
  readonly kind: ColumnKind;
  /** Encoded values, one per row; values of a JSON column are not encoded. */
  readonly values: readonly unknown[];
}

/**
 * Rows as one JSON parameter: one plan for any number of rows, and no limit on parameters.
 *
 * The source has the columns `ord` (0, 1 …) and `c0`, `c1` …
 */
export function writeRecordset(
  dialect: Dialect,
  columns: readonly RecordsetColumn[],
  parameter: string,
): { readonly source: string; readonly json: string } {
  const [first] = columns;
  // A thousand rows may have ten thousand values: names are created once, not per value.
  const named = columns.map(({ values }, index) => ({ name: `c${index}`, values }));
  const records = (first?.values ?? []).map((_, ord) => {
    const record: Record<string, unknown> = { ord };
    for (const { name, values } of named) record[name] = values[ord];
    return record;
  });
  const types = columns.map(({ kind }, index) => `c${index} ${dialect.columnType(kind)}`);
  return { source: recordsOf(dialect).source(parameter, types), json: JSON.stringify(records) };
}

/** How the engine receives rows of any values. @throws {Error} if it does not: a fault of the caller, which did not look at the form */
export function recordsOf({ rows, title }: Dialect): RowRecords {
  if (rows.form !== "records") throw new Error(`${title} receives no rows of any values as one parameter.`);
  return rows;
}

/** Joins a recordset with the stored rows, which have the alias `held`. The values of the columns come first in the recordset. */
export function writeMatches(dialect: Dialect, columns: readonly string[], kinds: readonly ColumnKind[]): string {
  const { json } = recordsOf(dialect);
  return columns.map((column, index) => `held.${column} = ${kinds[index] === "json" ? json(`given.c${index}`) : `given.c${index}`}`).join(" and ");
}

/** The recordset columns for `writeMatches`, from one list of values per row. JSON in a key is compared as encoded text. */
export function matchColumns(kinds: readonly ColumnKind[], rows: readonly (readonly unknown[])[]): RecordsetColumn[] {
  return kinds.map((kind, index) => ({ kind: kind === "json" ? "text" : kind, values: rows.map((values) => values[index]) }));
}

/** Name of the result column with a row's position in the recordset. It is reserved, so no column of a model has it. */
export const ordName = "_operationId";
