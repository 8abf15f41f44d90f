import type { Options } from "csv-stringify/sync";
import type { CsvColumn, RowEncoder } from "../encoder.js";
import { escapeFormula } from "./formula.js";
import { formats } from "./transferFormat.js";

/** How rows become CSV. */
export interface CsvEncoderOptions {
  readonly columns: readonly CsvColumn[];
  /** A comma unless said otherwise. */
  readonly delimiter?: string | undefined;
  /** Whether text that spreadsheets would compute is escaped; it is unless said otherwise. */
  readonly formulas?: "escape" | "literal" | undefined;
  /** Whether the file begins with the names of its columns; it does unless said otherwise. */
  readonly header?: boolean | undefined;
  /** Whether the file begins with a byte-order mark, without which some spreadsheets take it for another encoding; it does not unless said otherwise. */
  readonly byteOrderMark?: boolean | undefined;
}

/**
 * Writes rows as CSV with CRLF. Arrays and objects are written as JSON, `null` and what is absent as nothing at all, the empty string as `""`.
 *
 * A row of one column that is `null` is written as `""` as well: an empty line would be no row.
 *
 * @see RFC 4180 §2
 */
export async function csvEncoder(options: CsvEncoderOptions): Promise<RowEncoder> {
  const { columns, delimiter = ",", formulas = "escape", header = true, byteOrderMark = false } = options;
  const { stringify } = await import("csv-stringify/sync");
  const settings: Options = {
    delimiter,
    record_delimiter: "\r\n",
    // With a record delimiter of its own it would leave other line ends in cells without quotes.
    quote_record_delimiter: true,
    // The empty string differs from nothing, and the first cell of a file from a byte-order mark.
    quoted_match: /^(?:$|\uFEFF)/,
    cast: {
      boolean: String,
      date: (date) => date.toISOString(),
      object: (value) => JSON.stringify(value),
      ...(formulas === "escape" ? { string: escapeFormula } : {}),
    },
  };
  const nothing = columns.length === 1 ? "" : undefined;
  const cells = (row: Readonly<Record<string, unknown>>) => columns.map(({ path }) => valueAt(row, path) ?? nothing);
  return {
    contentType: `${formats.csv.mediaType}; charset=utf-8`,
    extension: formats.csv.extension,
    begin: () => (byteOrderMark ? "\uFEFF" : "") + (header ? stringify([columns.map(({ name }) => name)], settings) : ""),
    encode: (rows) => stringify(rows.map(cells), settings),
    end: () => "",
  };
}

/** `undefined` also where something on the way is no object. */
function valueAt(row: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let value: unknown = row;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
