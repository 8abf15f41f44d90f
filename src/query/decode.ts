import { ProblemError } from "../problem/index.js";

/**
 * Strict percent-decoding of a part of a query string: `+` is a space, bytes must be UTF-8, NUL is refused (no engine can be trusted to keep it).
 *
 * @throws {ProblemError} MALFORMED_QUERY
 */
export function decodeQueryPart(raw: string): string {
  if (!raw.includes("%") && !raw.includes("+")) return refuseControl(raw, raw);
  let decoded: string;
  try {
    decoded = decodeURIComponent(raw.replaceAll("+", " "));
  } catch (cause) {
    throw malformed(raw, "is not valid percent-encoded UTF-8", cause);
  }
  return refuseControl(decoded, raw);
}

function refuseControl(text: string, raw: string): string {
  if (text.includes("\0")) throw malformed(raw, "contains NUL");
  if (!text.isWellFormed()) throw malformed(raw, "contains half of a surrogate pair");
  return text;
}

function malformed(raw: string, why: string, cause?: unknown): ProblemError {
  return new ProblemError("MALFORMED_QUERY", `The query part "${raw.slice(0, 64)}" ${why}.`, { cause });
}
