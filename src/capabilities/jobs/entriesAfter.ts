import type { Context } from "../../engine/operation/context.js";
import { quote } from "../../ground/problem/quote.js";
import { type Faults, repeatedParameter } from "../../language/query/fault.js";
import { decoderOf } from "../../language/query/grammar/decode.js";
import { eachParameter } from "../../language/query/grammar/parameters.js";
import { refuseFaults } from "../../language/query/grammar/parse.js";
import { unknownParameter } from "../../language/query/grammar/unknownParameter.js";

const wholeNumber = /^\d{1,16}$/;

/** The position before the first entry, whose position may be 0. */
export const fromTheStart = -1;

/**
 * Parses the position in `?after=`; the start if it is missing.
 *
 * @param isPaged whether the job has pages; without pages the parameter is unknown
 * @throws {ProblemError} INVALID_VALUE, UNKNOWN_FIELD, REPEATED_PARAMETER, MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function parseEntriesAfter({ request: { query }, environment: { lists } }: Context, isPaged: boolean): number {
  if (query === "") return fromTheStart;
  const { limits, ignores } = lists.query;
  const decode = decoderOf(query);
  const faults: Faults = [];
  let after: number | undefined;
  eachParameter(query, limits.parameters, decode, (key, value) => {
    if (isPaged && key === "after") {
      if (after !== undefined) faults.push(repeatedParameter(key));
      after = parsePosition(decode(value), faults);
    } else if (!ignores(key)) {
      faults.push(unknownParameter(key, isPaged ? ["after"] : []));
    }
  });
  refuseFaults(faults);
  return after ?? fromTheStart;
}

function parsePosition(text: string, faults: Faults): number {
  const position = Number(text);
  if (wholeNumber.test(text) && Number.isSafeInteger(position)) return position;
  faults.push({
    code: "INVALID_VALUE",
    detail: `"after" must be the position of an entry, a whole number; got ${quote(text)}.`,
    parameter: "after",
  });
  return fromTheStart;
}
