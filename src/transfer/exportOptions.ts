import type { Place } from "../problem/place.js";
import { emptyValue, type Fault, type Faults, quotedValue } from "../query/fault.js";
import type { TransferFormat } from "./rows.js";

/** How the file of an export is written; all but the format is about CSV. */
export interface ExportOptions {
  readonly format: TransferFormat;
  readonly delimiter: "," | ";" | "\t" | "|";
  /** Whether texts that a spreadsheet would compute are made harmless by an apostrophe. */
  readonly formulas: "escape" | "literal";
  readonly byteOrderMark: boolean;
}

/** Words of an export that say so, in a query or in a body. */
export const optionWords = ["format", "delimiter", "formulas", "bom"] as const;

export type OptionWord = (typeof optionWords)[number];

/** What was given for them, as text or as JSON. */
export type OptionValues = { readonly [word in OptionWord]?: unknown };

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
 * @param placeOf says where in the request a word stood
 * @param usual the format where none is named
 */
export function readOptions(given: OptionValues, usual: TransferFormat, faults: Faults, placeOf: (word: string) => Place): ExportOptions {
  const read = <Value>(word: OptionWord, values: ReadonlyMap<unknown, Value>, fallback: Value): Value => {
    const value = given[word];
    if (value === undefined) return fallback;
    if (!values.has(value)) faults.push(value === "" ? emptyValue(word, placeOf(word)) : notAmong(word, value, values, placeOf(word)));
    return values.get(value) ?? fallback;
  };
  const format = read("format", formats, usual);
  for (const word of optionWords) {
    if (word === "format" || format === "csv" || given[word] === undefined) continue;
    faults.push({ code: "CONFLICTING_PARAMETERS", detail: `"${word}" is about CSV; the format is ${format}.`, ...placeOf(word) });
  }
  return {
    format,
    delimiter: read("delimiter", delimiters, ","),
    formulas: read("formulas", formulas, "escape"),
    byteOrderMark: read("bom", marks, false),
  };
}

function notAmong(word: OptionWord, value: unknown, values: ReadonlyMap<unknown, unknown>, place: Place): Fault {
  const allowed = [...new Set([...values.keys()].map(String))];
  return { code: "INVALID_VALUE", detail: `"${word}" must be one of ${allowed.join(" ")}; got ${quotedValue(value)}.`, ...place, allowed };
}
