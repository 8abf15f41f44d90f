import type { SelectionInput } from "../fields/selection.js";
import { selectionInput } from "./controls.js";
import { decoderOf } from "./decode.js";
import { cut, type Fault, type Faults, hintAt, quoted } from "./fault.js";
import { closest } from "./hint.js";
import { eachParameter } from "./parameters.js";
import type { QuerySettings } from "./settings.js";
import { isTypeKey, takeControl, takeType, type Words } from "./words.js";

const names = ["fields", "exclude", "include", "expand"] as const;

/**
 * Parses the raw query string of a request for one row: it may choose fields and relations, nothing else.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function parseSingleQuery(raw: string, { limits, ignores }: QuerySettings, faults: Faults): SelectionInput {
  const words: Words = { controls: {}, types: undefined };
  const decode = decoderOf(raw);
  eachParameter(raw, limits.parameters, decode, (key, value) => {
    const name = names.find((word) => word === key);
    if (name !== undefined) takeControl(words, name, decode(value), faults);
    else if (isTypeKey(key)) takeType(words, key, decode(value), faults);
    else if (!ignores(key)) faults.push(unknownWord(key));
  });
  return selectionInput(words);
}

function unknownWord(key: string): Fault {
  const near = closest(key, names);
  const detail = `Unknown parameter ${quoted(key)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  return { code: "UNKNOWN_FIELD", detail, ...cut({ parameter: key }), allowed: names, ...hintAt(near) };
}
