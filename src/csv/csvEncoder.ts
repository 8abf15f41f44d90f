import type { Options } from "csv-stringify/sync";
import { flag, listOf, oneOf, optionsCheck, passing, strict, text } from "../options/index.js";
import { escapeFormula } from "./formula.js";
import type { CsvColumn, RowEncoder } from "./rowEncoder.js";

/** Options of `csvEncoder`. */
export interface CsvEncoderOptions {
  /** The columns, in the order of the file. */
  readonly columns: readonly CsvColumn[];
  /** What separates the values. Defaults to a comma. */
  readonly delimiter?: string | undefined;
  /** `escape` (default) escapes text that spreadsheets would compute as a formula. */
  readonly formulas?: "escape" | "literal" | undefined;
  /** Whether the file begins with the names of the columns (default `true`). */
  readonly header?: boolean | undefined;
  /** Whether the file begins with a byte-order mark (default `false`). Without it some spreadsheets assume another encoding. */
  readonly byteOrderMark?: boolean | undefined;
}

const check = /* @__PURE__ */ optionsCheck("csvEncoder", () =>
  strict<CsvEncoderOptions>(
    {
      columns: listOf(
        passing("a column with a name and a path", (value) => typeof (value as CsvColumn | null)?.name === "string"),
        "an array of columns",
      ),
      delimiter: text("a character"),
      formulas: oneOf("escape", "literal"),
      header: flag(),
      byteOrderMark: flag(),
    },
    ["columns"],
  ),
);

/**
 * Writes rows as CSV with CRLF. Arrays and objects are written as JSON, `null` and missing values as an empty cell, the empty string as `""`.
 *
 * If the file has one column only, `null` is also written as `""`, since readers skip empty lines.
 *
 * @see RFC 4180 §2
 */
export async function csvEncoder(options: CsvEncoderOptions): Promise<RowEncoder> {
  check(options);
  const { columns, delimiter = ",", formulas = "escape", header = true, byteOrderMark = false } = options;
  const { stringify } = await import("csv-stringify/sync");
  const settings: Options = {
    delimiter,
    record_delimiter: "\r\n",
    // Without this option, cells with line ends other than CRLF would not be quoted.
    quote_record_delimiter: true,
    // Quotes the empty string, so that it differs from null, and a cell with U+FEFF, so that it is not read as a byte-order mark.
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
    contentType: "text/csv; charset=utf-8",
    extension: "csv",
    begin: () => (byteOrderMark ? "\uFEFF" : "") + (header ? stringify([columns.map(({ name }) => name)], settings) : ""),
    encode: (rows) => stringify(rows.map(cells), settings),
    end: () => "",
  };
}

/** The value at a path; `undefined` if a parent is missing or is not an object. */
function valueAt(row: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let value: unknown = row;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
