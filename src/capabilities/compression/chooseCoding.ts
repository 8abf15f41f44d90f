import { ProblemError } from "../../ground/problem/index.js";
import { selectEncoding } from "../../language/negotiation/encoding.js";
import type { Coding } from "./coders.js";

/**
 * Chooses the coding of an answer; `undefined` for none. A client that accepts neither a coding nor `identity` gets `identity`: an answer that it may be able to read is
 * better than none.
 *
 * @param acceptEncoding The value of `Accept-Encoding`, if it was sent.
 * @param offered in the order of preference
 * @see RFC 9110 §12.5.3
 * @example
 * chooseCoding("gzip, br", ["br", "gzip"]); // "br"
 */
export function chooseCoding(acceptEncoding: string | undefined, offered: readonly Coding[]): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  try {
    const chosen = selectEncoding(acceptEncoding, offered);
    return chosen === "identity" ? undefined : chosen;
  } catch (error) {
    // The header is too long. The request has succeeded or failed by then, and the answer is readable without it.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
