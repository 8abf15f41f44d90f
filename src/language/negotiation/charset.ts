import { highest, qualitiesOf } from "./qualities.js";
import { parseWeighted } from "./weighted.js";

/**
 * Selects the offered charset with the highest quality; the first of several with the same quality. `*` is every charset that is not named.
 *
 * @param acceptCharset The value of the Accept-Charset header; without one, or if it is empty, all charsets have the same quality.
 * @param offered in the server's order of preference
 * @returns `undefined` if the client accepts none of them
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 charsets
 * @see RFC 9110 §12.5.2
 * @example
 * selectCharset("iso-8859-1;q=0.5, utf-8", ["iso-8859-1", "utf-8"]); // "utf-8"
 */
export function selectCharset<const T extends string>(acceptCharset: string | undefined, offered: readonly T[]): T | undefined {
  const listed = parseWeighted("Accept-Charset", acceptCharset);
  if (listed === undefined) return offered[0];
  const qualities = qualitiesOf(listed);
  const any = qualities.get("*") ?? 0;
  return highest(offered, (charset) => qualities.get(charset.toLowerCase()) ?? any);
}
