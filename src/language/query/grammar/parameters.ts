import { problemOf } from "../../../ground/problem/index.js";
import { tooComplex } from "../fault.js";
import type { Decode } from "./decode.js";

/**
 * Iterates over a query string: keys are decoded, values are not. Empty parameters are skipped; a key without `=` has an empty value.
 *
 * @throws {ProblemError} MALFORMED_QUERY, QUERY_TOO_COMPLEX
 */
export function eachParameter(raw: string, maximum: number, decode: Decode, take: (key: string, value: string) => void): void {
  let count = 0;
  for (let start = 0; start < raw.length; ) {
    const ampersand = raw.indexOf("&", start);
    const end = ampersand === -1 ? raw.length : ampersand;
    if (end > start) {
      count += 1;
      if (count > maximum) throw tooMany(raw, maximum);
      const equals = raw.indexOf("=", start);
      const split = equals === -1 || equals > end ? end : equals;
      take(decode(raw.slice(start, split)), split === end ? "" : raw.slice(split + 1, end));
    }
    start = end + 1;
  }
}

function tooMany(raw: string, maximum: number) {
  const count = raw.split("&").filter((part) => part !== "").length;
  return problemOf("QUERY_TOO_COMPLEX", [tooComplex("Parameters", count, maximum)], { extensions: { maximum } });
}
