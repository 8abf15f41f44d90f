import { pointer } from "../http/pointer.js";
import { parseSearchBody } from "../query/body.js";
import { cut, type Fault, type Faults, hintAt, quoted, quotedValue } from "../query/fault.js";
import { closest } from "../query/hint.js";
import type { QuerySettings } from "../query/settings.js";
import type { QueryTable } from "../query/table.js";
import type { Gate } from "../schema/access.js";
import { optionWords, readOptions } from "./exportOptions.js";
import { type ExportQuery, isOfLists, noList } from "./parseExportQuery.js";

/** An export that is done as a job. */
export interface ExportRequest extends ExportQuery {
  readonly gzip: boolean;
}

const searchWords = ["filter", "sort", "fields", "exclude", "q"] as const;
const words: readonly string[] = ["collection", ...searchWords, ...optionWords, "gzip"];

const placeOf = (word: string) => ({ pointer: pointer([word]) });

/** Reads the body of an export: a search without its pages, and the words of the file. Faults are collected. */
export function parseExportBody(
  body: Readonly<Record<string, unknown>>,
  table: QueryTable,
  gate: Gate,
  settings: QuerySettings,
  faults: Faults,
): ExportRequest {
  for (const word of Object.keys(body)) {
    if (words.includes(word)) continue;
    faults.push(isOfLists(word) ? noList(word, placeOf(word)) : unknownWord(word));
  }
  const search = Object.fromEntries(searchWords.flatMap((word) => (body[word] === undefined ? [] : [[word, body[word]]])));
  return {
    query: parseSearchBody(search, table, gate, settings, faults),
    options: readOptions(body, "csv", faults, placeOf),
    gzip: readGzip(body["gzip"], faults),
  };
}

function readGzip(value: unknown, faults: Faults): boolean {
  if (typeof value === "boolean" || value === undefined) return value ?? false;
  faults.push({ code: "INVALID_VALUE", detail: `"gzip" must be true or false; got ${quotedValue(value)}.`, ...placeOf("gzip") });
  return false;
}

function unknownWord(word: string): Fault {
  const near = closest(word, words);
  const detail = `An export has no member ${quoted(word)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  return { code: "UNKNOWN_FIELD", detail, ...cut(placeOf(word)), allowed: words, ...hintAt(near) };
}
