import { decoderOf } from "../query/decode.js";
import { cut, type Fault, type Faults, quoted, repeatedParameter } from "../query/fault.js";
import { eachParameter } from "../query/parameters.js";
import { type ListQuery, parseListQuery } from "../query/parse.js";
import type { QuerySettings } from "../query/settings.js";
import type { QueryTable } from "../query/table.js";
import type { Gate } from "../schema/access.js";
import { type ExportOptions, type OptionWord, optionWords, readOptions } from "./exportOptions.js";
import type { TransferFormat } from "./rows.js";

/** What an export is asked for. */
export interface ExportQuery {
  readonly query: ListQuery;
  readonly options: ExportOptions;
}

const ofPages: ReadonlySet<string> = new Set(["page", "perPage", "cursor", "count"]);
const ofRelations: ReadonlySet<string> = new Set(["include", "expand"]);

/**
 * Parses the query string of an export: that of a list without its pages and its related rows, and the words of the file. A field that is called like one
 * of those words is filtered by with an operator: `format[eq]=pdf`.
 *
 * @param usual the format where none is named
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX, URI_TOO_LONG
 */
export function parseExportQuery(
  raw: string,
  usual: TransferFormat,
  table: QueryTable,
  gate: Gate,
  settings: QuerySettings,
  faults: Faults,
): ExportQuery {
  const own: { [word in OptionWord]?: string } = {};
  const others: string[] = [];
  const decode = decoderOf(raw);
  eachParameter(raw, settings.limits.parameters, decode, (key, value) => {
    if (isOption(key)) {
      if (own[key] !== undefined) faults.push(repeatedParameter(key));
      own[key] ??= decode(value);
    } else if (isOfLists(key)) faults.push(noList(key, { parameter: key }));
    else {
      // Here a fault still stands where the client wrote it.
      decode(value);
      others.push(`${encodeURIComponent(key)}=${value}`);
    }
  });
  const query = parseListQuery(others.join("&"), table, gate, settings, faults);
  return { query, options: readOptions(own, usual, faults, (parameter) => ({ parameter })) };
}

function isOption(key: string): key is OptionWord {
  return (optionWords as readonly string[]).includes(key);
}

/** Whether a word of lists means nothing to an export. */
export function isOfLists(word: string): boolean {
  return ofPages.has(word) || ofRelations.has(word);
}

/** The fault of such a word. */
export function noList(word: string, place: Parameters<typeof cut>[0]): Fault {
  const why = ofPages.has(word) ? "an export holds all rows that match" : "an export holds no related rows";
  return { code: "UNKNOWN_FIELD", detail: `${quoted(word)} belongs to lists: ${why}.`, ...cut(place) };
}
