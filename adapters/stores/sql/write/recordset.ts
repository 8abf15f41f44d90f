import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import { postgresDialect } from "../engine/postgres/postgresDialect.js";

/** One column of rows that a statement receives as one JSON parameter. */
export interface RecordsetColumn {
  readonly kind: ColumnKind;
  /** Encoded values, one per row; values of a JSON column are not encoded. */
  readonly values: readonly unknown[];
}

/**
 * Rows as one JSON parameter of PostgreSQL: one plan for any number of rows, and no limit on parameters.
 *
 * The source has the columns `ord` (0, 1 …) and `c0`, `c1` …
 */
export function writeRecordset(columns: readonly RecordsetColumn[], parameter: string): { readonly source: string; readonly json: string } {
  const [first] = columns;
  // A thousand rows may have ten thousand values: names are created once, not per value.
  const named = columns.map(({ values }, index) => ({ name: `c${index}`, values }));
  const records = (first?.values ?? []).map((_, ord) => {
    const record: Record<string, unknown> = { ord };
    for (const { name, values } of named) record[name] = values[ord];
    return record;
  });
  const types = columns.map(({ kind }, index) => `c${index} ${postgresDialect.columnType(kind)}`);
  return { source: `jsonb_to_recordset(${parameter}::text::jsonb) as given(ord int, ${types.join(", ")})`, json: JSON.stringify(records) };
}

/** Joins a recordset with the stored rows, which have the alias `held`. The values of the columns come first in the recordset. */
export function writeMatches(columns: readonly string[], kinds: readonly ColumnKind[]): string {
  return columns.map((column, index) => `held.${column} = given.c${index}${kinds[index] === "json" ? "::jsonb" : ""}`).join(" and ");
}

/** The recordset columns for `writeMatches`, from one list of values per row. JSON in a key is compared as encoded text. */
export function matchColumns(kinds: readonly ColumnKind[], rows: readonly (readonly unknown[])[]): RecordsetColumn[] {
  return kinds.map((kind, index) => ({ kind: kind === "json" ? "text" : kind, values: rows.map((values) => values[index]) }));
}

/** Name of the result column with a row's position in the recordset. It is reserved, so no column of a model has it. */
export const ordName = "_operationId";
