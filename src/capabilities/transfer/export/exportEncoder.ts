import { csvColumns } from "../../../language/csv/columns.js";
import { csvEncoder } from "../../../language/csv/csvEncoder.js";
import type { RowEncoder } from "../../../language/csv/rowEncoder.js";
import { jsonArrayEncoder } from "../formats/jsonArrayEncoder.js";
import { ndjsonEncoder } from "../formats/ndjsonEncoder.js";
import type { ExportPlan } from "./exportPlan.js";

/** The encoder for the format of an export. */
export function exportEncoder({ linked, view, options }: ExportPlan): RowEncoder {
  const { format, delimiter, formulas, byteOrderMark } = options;
  switch (format) {
    case "csv":
      return csvEncoder({ columns: csvColumns(linked.fields, view.fields), delimiter, formulas, header: true, byteOrderMark });
    case "ndjson":
      return ndjsonEncoder();
    case "json":
      return jsonArrayEncoder();
  }
}
