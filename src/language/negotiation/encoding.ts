import { highest, qualitiesOf } from "./qualities.js";
import { parseWeighted } from "./weighted.js";

/**
 * Selects the offered content coding with the highest quality; the first of several with the same quality. `identity` (no coding) comes after all others, unless
 * `offered` names it, or the client gives it a higher quality.
 *
 * @param acceptEncoding The value of the Accept-Encoding header; without one, or if it is empty, `identity` is selected.
 * @param offered in the server's order of preference
 * @returns `undefined` if the client excludes `identity` and accepts none of the others
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 codings
 * @see RFC 9110 §12.5.3
 * @example
 * selectEncoding("gzip, br;q=0.9, *;q=0", ["br", "gzip"]); // "gzip"
 */
export function selectEncoding<const T extends string>(acceptEncoding: string | undefined, offered: readonly T[]): T | "identity" | undefined {
  const listed = parseWeighted("Accept-Encoding", acceptEncoding);
  if (listed === undefined) return "identity";
  const qualities = qualitiesOf(listed);
  const any = qualities.get("*");
  // A client that does not mention it accepts it, but prefers every coding that it lists.
  const identity = qualities.get("identity") ?? any ?? Number.MIN_VALUE;
  const all: readonly (T | "identity")[] = offered.includes("identity" as T) ? offered : [...offered, "identity"];
  return highest(all, (coding) => {
    const name = coding.toLowerCase();
    return name === "identity" ? identity : (qualities.get(name) ?? qualities.get(`x-${name}`) ?? any ?? 0);
  });
}
