import { quote } from "../../../ground/problem/quote.js";
import { cut, type Fault, repeatedParameter } from "../../../language/query/fault.js";
import { decoderOf } from "../../../language/query/grammar/decode.js";
import { eachParameter } from "../../../language/query/grammar/parameters.js";
import { type ListQuery, parseListQuery } from "../../../language/query/grammar/parse.js";
import type { Parsing } from "../../../language/query/parsing.js";
import type { TransferFormat } from "../rows.js";
import { type ExportOptions, type OptionName, optionNames, readOptions } from "./exportOptions.js";

/** A parsed request for an export. */
export interface ExportQuery {
  readonly query: ListQuery;
  readonly options: ExportOptions;
}

const pageParameters: ReadonlySet<string> = new Set(["page", "perPage", "cursor", "count"]);
const relationParameters: ReadonlySet<string> = new Set(["include", "expand"]);

/**
 * Parses the query string of an export: the parameters of a list but those about pages and related rows, and the options of the file. To filter by a field
 * that has the name of an option, write the operator: `format[eq]=pdf`.
 *
 * @param defaultFormat the format if the query names none
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX, URI_TOO_LONG
 */
export function parseExportQuery(raw: string, defaultFormat: TransferFormat, parsing: Parsing): ExportQuery {
  const { table, settings, faults } = parsing;
  const own: { [name in OptionName]?: string } = {};
  const others: string[] = [];
  const decode = decoderOf(raw);
  eachParameter(raw, settings.limits.parameters, decode, (key, value) => {
    if (isOption(key)) {
      if (own[key] !== undefined) faults.push(repeatedParameter(key));
      own[key] ??= decode(value);
    } else if (isListOnly(key) || (key === "deleted" && table.keys.get(key)?.kind === "control")) faults.push(listOnlyFault(key, { parameter: key }));
    else {
      // Decodes the value here, where a fault still has the position in the client's query.
      decode(value);
      others.push(`${encodeURIComponent(key)}=${value}`);
    }
  });
  const query = parseListQuery(others.join("&"), parsing);
  return { query, options: readOptions(own, defaultFormat, faults, (parameter) => ({ parameter })) };
}

function isOption(key: string): key is OptionName {
  return (optionNames as readonly string[]).includes(key);
}

/** Whether a parameter exists for lists, but not for exports. */
export function isListOnly(name: string): boolean {
  return pageParameters.has(name) || relationParameters.has(name);
}

/** The fault of such a parameter. */
export function listOnlyFault(name: string, place: Parameters<typeof cut>[0]): Fault {
  const related = name === "deleted" ? "an export has no deleted rows" : "an export cannot contain related rows";
  const why = pageParameters.has(name) ? "an export contains all matching rows" : related;
  return { code: "UNKNOWN_FIELD", detail: `${quote(name)} applies to lists only: ${why}.`, ...cut(place) };
}
