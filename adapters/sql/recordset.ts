import type { ColumnKind } from "../../src/storage/model.js";
import { postgresDialect } from "./postgresDialect.js";

/** A column of the rows that a statement gets as one JSON parameter. */
export interface RecordsetColumn {
  readonly kind: ColumnKind;
  /** Encoded values, one a row; a JSON column's as they are. */
  readonly values: readonly unknown[];
}

/**
 * Rows as one JSON parameter of PostgreSQL: one plan for every number of rows, and no limit of parameters.
 *
 * The source has the columns `ord` (0, 1 …) and `c0`, `c1` …
 */
export function writeRecordset(columns: readonly RecordsetColumn[], parameter: string): { readonly source: string; readonly json: string } {
  const [first] = columns;
  // A thousand rows have ten thousand values: nothing is made anew for each.
  const named = columns.map(({ values }, index) => ({ name: `c${index}`, values }));
  const records = (first?.values ?? []).map((_, ord) => {
    const record: Record<string, unknown> = { ord };
    for (const { name, values } of named) record[name] = values[ord];
    return record;
  });
  const types = columns.map(({ kind }, index) => `c${index} ${postgresDialect.columnType(kind)}`);
  return { source: `jsonb_to_recordset(${parameter}::text::jsonb) as given(ord int, ${types.join(", ")})`, json: JSON.stringify(records) };
}

/** Joins the rows of a recordset to the stored rows, called `held`, by columns whose values come first in the recordset. */
export function writeMatches(columns: readonly string[], kinds: readonly ColumnKind[]): string {
  return columns.map((column, index) => `held.${column} = given.c${index}${kinds[index] === "json" ? "::jsonb" : ""}`).join(" and ");
}

/** The columns of `writeMatches`, from one list of values a row. JSON in a key is compared as encoded text. */
export function matchColumns(kinds: readonly ColumnKind[], rows: readonly (readonly unknown[])[]): RecordsetColumn[] {
  return kinds.map((kind, index) => ({ kind: kind === "json" ? "text" : kind, values: rows.map((values) => values[index]) }));
}

/** A row's place in the recordset, in what a statement answers. No column of a model can be called so: the name is reserved. */
export const ordName = "_operationId";
