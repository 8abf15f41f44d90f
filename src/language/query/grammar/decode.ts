import { decodePercent } from "../../../ground/http/decodePercent.js";
import { type ProblemError, problemOf } from "../../../ground/problem/index.js";
import { quote } from "../../../ground/problem/quote.js";

/** Decodes a part of a query string. */
export type Decode = (raw: string) => string;

/** Selects how the parts of a query are decoded. Most queries have nothing to decode, which is checked once for all parts. */
export function decoderOf(query: string): Decode {
  const isPlain = !query.includes("%") && !query.includes("+") && !query.includes("\0") && query.isWellFormed();
  return isPlain ? asItIs : (raw) => decodePart(raw, query);
}

const asItIs: Decode = (raw) => raw;

/**
 * Strict percent-decoding of a part of a query string: `+` is a space, bytes must be UTF-8, NUL is refused (not every engine stores it).
 *
 * @throws {ProblemError} MALFORMED_QUERY
 */
export function decodeQueryPart(raw: string): string {
  return decodePart(raw, raw);
}

/** @param query the text in which positions in messages are counted */
function decodePart(raw: string, query: string): string {
  if (!raw.includes("%") && !raw.includes("+")) return refuseControl(raw, raw, query);
  let decoded: string;
  try {
    decoded = decodeURIComponent(raw.replaceAll("+", " "));
  } catch (cause) {
    throw malformed(raw, "is not percent-encoded UTF-8", malformedAt(query), cause);
  }
  return refuseControl(decoded, raw, query);
}

function refuseControl(text: string, raw: string, query: string): string {
  if (text.includes("\0")) throw malformed(raw, "contains NUL", Math.max(query.indexOf("\0"), query.indexOf("%00")));
  if (!text.isWellFormed()) throw malformed(raw, "contains half of a surrogate pair", query.search(/\p{Surrogate}/u));
  return text;
}

function malformed(raw: string, why: string, position: number, cause?: unknown): ProblemError {
  const detail = `The query ${why} at position ${position}, in ${quote(raw)}.`;
  return problemOf("MALFORMED_QUERY", [{ code: "MALFORMED_QUERY", detail }], { cause, extensions: { position } });
}

/** The position of the first invalid escape, or of the first sequence that is not UTF-8. */
function malformedAt(query: string): number {
  let at = query.indexOf("%");
  while (at !== -1) {
    const lead = Number.parseInt(query.slice(at + 1, at + 3), 16);
    const end = at + 3 * (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1);
    if (!isDecodable(query.slice(at, end))) return at;
    at = query.indexOf("%", end);
  }
  return query.length;
}

function isDecodable(text: string): boolean {
  return decodePercent(text) !== undefined;
}
