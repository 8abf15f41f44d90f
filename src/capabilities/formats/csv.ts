import type { AnsweredList } from "../../engine/operation/answers/answerFormat.js";
import { encodePieces } from "../../ground/http/json/writeJson.js";
import { flag, oneOf, optionsCheck, passing, strict } from "../../ground/options/index.js";
import { csvColumns } from "../../language/csv/columns.js";
import { type CsvEncoderOptions, csvEncoder } from "../../language/csv/csvEncoder.js";
import type { RowEncoder } from "../../language/csv/rowEncoder.js";
import type { View } from "../../language/fields/view.js";
import type { Format } from "./format.js";

/** Options of {@link csv}. */
export type CsvOptions = Pick<CsvEncoderOptions, "delimiter" | "formulas" | "byteOrderMark">;

const check = /* @__PURE__ */ optionsCheck("csv", () =>
  strict<CsvOptions>({
    delimiter: passing("one character", (value) => typeof value === "string" && /^[^"\r\n]$/.test(value)),
    formulas: oneOf("escape", "literal"),
    byteOrderMark: flag(),
  }),
);

/**
 * Lists as CSV, for requests that accept `text/csv`: the columns of an export with the same fields. Text that spreadsheets would compute is escaped.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value
 * @see RFC 4180
 * @example
 * formats({ use: [csv({ delimiter: ";" })] });
 */
export function csv(options: CsvOptions = {}): Format {
  check(options);
  const encoders = new WeakMap<View, RowEncoder>();
  return { name: "csv", types: ["text/csv"], parameters: "; charset=utf-8", writeList };

  function writeList(list: AnsweredList): Promise<Uint8Array> {
    return encodePieces(linesOf(encoderOf(list), list.rows));
  }

  /** The views without a selection are few and live long. */
  function encoderOf({ of, view, relations }: AnsweredList): RowEncoder {
    const known = relations.length === 0 ? encoders.get(view) : undefined;
    if (known !== undefined) return known;
    const columns = [...csvColumns(of.fields, view.fields), ...relations.flatMap((name) => (view.fields.has(name) ? [] : [{ name, path: [name] }]))];
    const encoder = csvEncoder({ ...options, columns });
    if (relations.length === 0) encoders.set(view, encoder);
    return encoder;
  }
}

function* linesOf(encoder: RowEncoder, rows: AnsweredList["rows"]): Generator<string, void, void> {
  yield encoder.begin();
  for (const row of rows) yield encoder.encode([row]);
  yield encoder.end();
}
