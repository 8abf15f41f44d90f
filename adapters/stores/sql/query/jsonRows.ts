import type { Bindings } from "../engine/bindings.js";
import { type RecordsetColumn, writeRecordset } from "../write/recordset.js";

/** Rows of texts and integers as one JSON parameter. Engines read the integers exactly. */
export interface JsonRows {
  readonly source: string;
  /** One expression per column. */
  readonly names: readonly string[];
  /** Expression for the position of a row among the given rows. */
  readonly order: string;
}

export function jsonRows(bindings: Bindings, columns: readonly RecordsetColumn[]): JsonRows {
  const { dialect } = bindings;
  const form = dialect.rows;
  if (form.form === "records") {
    const { source, json } = writeRecordset(dialect, columns, dialect.placeholder(bindings.values.length + 1));
    bindings.bind(json);
    return { source, names: columns.map((_, index) => `given.c${index}`), order: "given.ord" };
  }
  const [first] = columns;
  const rows = (first?.values ?? []).map((_, row) => columns.map(({ values }) => values[row]));
  return {
    source: form.source(bindings.bind(JSON.stringify(rows))),
    names: columns.map((_, index) => form.member(index)),
    order: form.order,
  };
}
