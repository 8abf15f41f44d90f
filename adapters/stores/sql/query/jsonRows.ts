import type { Bindings } from "../engine/bindings.js";
import { type RecordsetColumn, writeRecordset } from "../write/recordset.js";

/** Rows of texts and integers as one JSON parameter. Both engines read the integers exactly. */
export interface JsonRows {
  readonly source: string;
  /** One expression per column. */
  readonly names: readonly string[];
  /** Expression for the position of a row among the given rows. */
  readonly order: string;
}

export function jsonRows(bindings: Bindings, columns: readonly RecordsetColumn[]): JsonRows {
  if (bindings.dialect.bulk) {
    const { source, json } = writeRecordset(columns, bindings.dialect.placeholder(bindings.values.length + 1));
    bindings.bind(json);
    return { source, names: columns.map((_, index) => `given.c${index}`), order: "given.ord" };
  }
  const [first] = columns;
  const rows = (first?.values ?? []).map((_, row) => columns.map(({ values }) => values[row]));
  return {
    source: `json_each(${bindings.bind(JSON.stringify(rows))}) as item`,
    names: columns.map((_, index) => `json_extract(item.value, '$[${index}]')`),
    order: "item.key",
  };
}
