import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { emptyValue, type Fault, type Faults } from "../../../language/query/fault.js";
import type { TransferFormat } from "../rows.js";

/** How the file of an export is written; all options but `format` apply to CSV only. */
export interface ExportOptions {
  readonly format: TransferFormat;
  readonly delimiter: "," | ";" | "\t" | "|";
  /** `escape` puts an apostrophe before text that a spreadsheet would compute. */
  readonly formulas: "escape" | "literal";
  readonly byteOrderMark: boolean;
}

/** Names of the options, in a query or in a body. */
export const optionNames = ["format", "delimiter", "formulas", "bom"] as const;

export type OptionName = (typeof optionNames)[number];

/** The values in a request, as text or as JSON. */
export type OptionValues = { readonly [name in OptionName]?: unknown };

const formats = new Map<unknown, TransferFormat>([
  ["csv", "csv"],
  ["ndjson", "ndjson"],
  ["json", "json"],
  ["jsonl", "ndjson"],
]);
const delimiters = new Map<unknown, ExportOptions["delimiter"]>([
  [",", ","],
  [";", ";"],
  ["tab", "\t"],
  ["|", "|"],
]);
const formulas = new Map<unknown, ExportOptions["formulas"]>([
  ["escape", "escape"],
  ["literal", "literal"],
]);
const marks = new Map<unknown, boolean>([
  [true, true],
  ["true", true],
  [false, false],
  ["false", false],
]);

/**
 * Reads the options of an export. Faults are collected.
 *
 * @param defaultFormat the format if the request names none
 * @param placeOf returns where in the request an option is, for its fault
 */
export function readOptions(
  given: OptionValues,
  defaultFormat: TransferFormat,
  faults: Faults,
  placeOf: (name: string) => FaultLocation,
): ExportOptions {
  const read = <Value>(name: OptionName, values: ReadonlyMap<unknown, Value>, fallback: Value): Value => {
    const value = given[name];
    if (value === undefined) return fallback;
    if (!values.has(value)) faults.push(value === "" ? emptyValue(name, placeOf(name)) : notAmong(name, value, values, placeOf(name)));
    return values.get(value) ?? fallback;
  };
  const format = read("format", formats, defaultFormat);
  for (const name of optionNames) {
    if (name === "format" || format === "csv" || given[name] === undefined) continue;
    faults.push({ code: "CONFLICTING_PARAMETERS", detail: `"${name}" applies to CSV only; the format is ${format}.`, ...placeOf(name) });
  }
  return {
    format,
    delimiter: read("delimiter", delimiters, ","),
    formulas: read("formulas", formulas, "escape"),
    byteOrderMark: read("bom", marks, false),
  };
}

function notAmong(name: OptionName, value: unknown, values: ReadonlyMap<unknown, unknown>, place: FaultLocation): Fault {
  const allowed = [...new Set([...values.keys()].map(String))];
  return { code: "INVALID_VALUE", detail: `"${name}" must be one of ${allowed.join(" ")}; got ${quoteValue(value)}.`, ...place, allowed };
}
