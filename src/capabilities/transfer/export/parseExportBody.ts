import { pointer } from "../../../ground/http/pointer.js";
import { closest } from "../../../ground/problem/closest.js";
import { quote, quoteValue } from "../../../ground/problem/quote.js";
import { parseSearchBody } from "../../../language/query/conditions/body.js";
import { cut, type Fault, type Faults, hintAt } from "../../../language/query/fault.js";
import type { Parsing } from "../../../language/query/parsing.js";
import { optionNames, readOptions } from "./exportOptions.js";
import { type ExportQuery, isListOnly, listOnlyFault } from "./parseExportQuery.js";

/** The request for an export as a job. */
export interface ExportRequest extends ExportQuery {
  readonly gzip: boolean;
}

const searchWords = ["filter", "sort", "fields", "exclude", "q"] as const;
const words: readonly string[] = ["collection", ...searchWords, ...optionNames, "gzip"];

const placeOf = (word: string) => ({ pointer: pointer([word]) });

/** Parses the body of an export: the members of a search but those about pages, and the options of the file. Faults are collected. */
export function parseExportBody(body: Readonly<Record<string, unknown>>, parsing: Parsing): ExportRequest {
  const { faults } = parsing;
  for (const word of Object.keys(body)) {
    if (words.includes(word)) continue;
    faults.push(isListOnly(word) ? listOnlyFault(word, placeOf(word)) : unknownWord(word));
  }
  const search = Object.fromEntries(searchWords.flatMap((word) => (body[word] === undefined ? [] : [[word, body[word]]])));
  return {
    query: parseSearchBody(search, parsing),
    options: readOptions(body, "csv", faults, placeOf),
    gzip: readGzip(body["gzip"], faults),
  };
}

function readGzip(value: unknown, faults: Faults): boolean {
  if (typeof value === "boolean" || value === undefined) return value ?? false;
  faults.push({ code: "INVALID_VALUE", detail: `"gzip" must be true or false; got ${quoteValue(value)}.`, ...placeOf("gzip") });
  return false;
}

function unknownWord(word: string): Fault {
  const near = closest(word, words);
  const detail = `An export has no member ${quote(word)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  return { code: "UNKNOWN_FIELD", detail, ...cut(placeOf(word)), allowed: words, ...hintAt(near) };
}
