import type { Faults } from "../fault.js";
import type { QuerySettings } from "../settings.js";
import { decoderOf } from "./decode.js";
import { eachParameter } from "./parameters.js";
import { refuseFaults } from "./parse.js";
import { unknownParameter } from "./unknownParameter.js";

/**
 * Refuses every parameter that is not ignored everywhere: for requests that have none.
 *
 * @param raw without `?`
 * @throws {ProblemError} UNKNOWN_FIELD, MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function refuseParameters(raw: string, { limits, ignores }: QuerySettings): void {
  if (raw === "") return;
  const faults: Faults = [];
  eachParameter(raw, limits.parameters, decoderOf(raw), (key) => {
    if (!ignores(key)) faults.push(unknownParameter(key, []));
  });
  refuseFaults(faults);
}
