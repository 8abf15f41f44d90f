import type { SelectionInput } from "../../fields/selection.js";
import type { Faults } from "../fault.js";
import type { QuerySettings } from "../settings.js";
import { selectionInput } from "./controls.js";
import { decoderOf } from "./decode.js";
import { eachParameter } from "./parameters.js";
import { unknownParameter } from "./unknownParameter.js";
import { isTypeKey, takeControl, takeType, type Words } from "./words.js";

const names = ["fields", "exclude", "include", "expand"] as const;

/**
 * Parses the raw query string of a request for one row: it can select fields and relations, nothing else.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function parseSingleQuery(raw: string, { limits, ignores }: QuerySettings, faults: Faults): SelectionInput {
  const words: Words = { controls: {}, types: undefined };
  const decode = decoderOf(raw);
  eachParameter(raw, limits.parameters, decode, (key, value) => {
    const name = names.find((word) => word === key || `${word}[]` === key);
    if (name !== undefined) takeControl(words, name, decode(value), faults);
    else if (isTypeKey(key)) takeType(words, key, decode(value));
    else if (!ignores(key)) faults.push(unknownParameter(key, names));
  });
  return selectionInput(words);
}
