import { quote } from "../../../ground/problem/quote.js";
import { cut, type Fault, type Faults, repeatedParameter } from "../fault.js";
import { decoderOf } from "../grammar/decode.js";
import { eachParameter } from "../grammar/parameters.js";
import { parseListQuery } from "../grammar/parse.js";
import type { FilterTree } from "../grammar/tree.js";
import { isTypeKey } from "../grammar/words.js";
import type { Parsing } from "../parsing.js";

/** A write whose rows are chosen by a filter. */
export interface FilterQuery {
  /** `undefined` where nothing was chosen. */
  readonly filter: FilterTree | undefined;
  /** Only look. */
  readonly dryRun: boolean;
  /** How many rows the client expects, or `true` for any number; `undefined` where nothing was confirmed. */
  readonly confirm: number | true | undefined;
}

interface OwnWords {
  dryRun?: boolean | undefined;
  confirm?: FilterQuery["confirm"];
}

const choosing: ReadonlySet<string> = new Set(["q", "search", "has"]);
const wholeNumber = /^\d{1,15}$/;

/**
 * Parses the query string of a write whose rows are chosen by a filter: the conditions of a list, `q` and `has`, and the words `confirm` and `dryRun`.
 * What else a list takes is a fault here, as everything unknown is.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX, URI_TOO_LONG
 */
export function parseFilterQuery(raw: string, parsing: Parsing): FilterQuery {
  const { table, settings, faults } = parsing;
  const own: OwnWords = {};
  const others: string[] = [];
  const decode = decoderOf(raw);
  eachParameter(raw, settings.limits.parameters, decode, (key, value) => {
    if (key === "confirm" || key === "dryRun") takeOwn(own, key, decode(value), faults);
    else if (isTypeKey(key) || (table.keys.get(key)?.kind === "control" && !choosing.has(key))) faults.push(noList(key));
    else {
      // Here a fault still stands where the client wrote it.
      decode(value);
      others.push(`${encodeURIComponent(key)}=${value}`);
    }
  });
  const { filter } = parseListQuery(others.join("&"), parsing);
  return { filter, dryRun: own.dryRun ?? false, confirm: own.confirm };
}

function takeOwn(own: OwnWords, key: "confirm" | "dryRun", value: string, faults: Faults): void {
  if (own[key] !== undefined) faults.push(repeatedParameter(key));
  else if (key === "dryRun" && (value === "true" || value === "false")) own.dryRun = value === "true";
  else if (key === "confirm" && value === "true") own.confirm = true;
  else if (key === "confirm" && wholeNumber.test(value)) own.confirm = Number(value);
  else faults.push(invalidWord(key, value));
}

function invalidWord(key: "confirm" | "dryRun", value: string): Fault {
  const expected = key === "dryRun" ? "true or false" : "true, or the number of rows";
  return { code: "INVALID_VALUE", detail: `"${key}" must be ${expected}; got ${quote(value)}.`, parameter: key };
}

function noList(key: string): Fault {
  return { code: "UNKNOWN_FIELD", detail: `${quote(key)} belongs to lists; here conditions alone choose the rows.`, ...cut({ parameter: key }) };
}
