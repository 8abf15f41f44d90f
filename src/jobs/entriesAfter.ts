import type { Context } from "../operation/context.js";
import { decoderOf } from "../query/decode.js";
import { type Faults, quoted, repeatedParameter } from "../query/fault.js";
import { eachParameter } from "../query/parameters.js";
import { refuseFaults } from "../query/parse.js";

const wholeNumber = /^\d{1,16}$/;

/** Before the first entry, whose position may be 0. */
export const fromTheStart = -1;

/**
 * The position that `?after=` names; without it, the start.
 *
 * @param isPaged whether the job has pages at all; where it has none, the parameter is unknown
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
      const allowed = isPaged ? ["after"] : [];
      faults.push({ code: "UNKNOWN_FIELD", detail: `Unknown parameter ${quoted(key)}.`, parameter: key.slice(0, 128), allowed });
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
    detail: `"after" must be the position of an entry, a whole number; got ${quoted(text)}.`,
    parameter: "after",
  });
  return fromTheStart;
}
