import { flag, listOf, oneOf, optionsCheck, passing, strict } from "../../ground/options/index.js";
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
        passing(
          "a column with a name and a path",
          (value) => typeof (value as CsvColumn | null)?.name === "string" && Array.isArray((value as CsvColumn).path),
        ),
        "an array of columns",
      ),
      delimiter: passing("text without quotes or line ends", (value) => typeof value === "string" && /^[^"\r\n]+$/.test(value)),
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
 * @example
 * const encoder = csvEncoder({ columns: [{ name: "id", path: ["id"] }] });
 * encoder.begin() + encoder.encode([{ id: 7 }]); // "id\r\n7\r\n"
 */
export function csvEncoder(options: CsvEncoderOptions): RowEncoder {
  check(options);
  const { columns, delimiter = ",", formulas = "escape", header = true, byteOrderMark = false } = options;
  const escaped = formulas === "escape" ? escapeFormula : (text: string) => text;
  const quote = (text: string) => (special.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text);
  const nothing = columns.length === 1 ? '""' : "";
  const readers = columns.map(({ path }) => readerOf(path));
  const cellOf = (value: unknown): string => {
    if (typeof value === "string") return quote(escaped(value));
    if (value === undefined || value === null) return nothing;
    if (typeof value !== "object") return quote(String(value));
    return quote(value instanceof Date ? value.toISOString() : JSON.stringify(value));
  };
  return {
    contentType: "text/csv; charset=utf-8",
    extension: "csv",
    begin: () => (byteOrderMark ? "\uFEFF" : "") + (header ? `${columns.map(({ name }) => cellOf(name)).join(delimiter)}\r\n` : ""),
    encode(rows) {
      let text = "";
      for (const row of rows) {
        let separator = "";
        for (const read of readers) {
          text += separator + cellOf(read(row));
          separator = delimiter;
        }
        text += "\r\n";
      }
      return text;
    },
    end: () => "",
  };
}

/** Also the empty text, so that it differs from null, and text that would be read as a byte-order mark. */
const special = /^(?:$|\uFEFF)|["\r\n]/;

/** Reads the value at a path; `undefined` if a parent is missing or is not an object. */
function readerOf([first = "", ...others]: readonly string[]): (value: unknown) => unknown {
  const below = others.length > 0 ? readerOf(others) : undefined;
  return (value) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, first)) return undefined;
    const member = (value as Readonly<Record<string, unknown>>)[first];
    return below === undefined ? member : below(member);
  };
}
