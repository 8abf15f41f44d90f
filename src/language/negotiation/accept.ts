import { parseWeighted, type Weighted } from "./weighted.js";

/**
 * Selects the offered media type with the highest quality; the first of several with the same quality. The most specific range that contains a type gives it its
 * quality.
 *
 * Parameters of types and ranges other than `q` are ignored, and so are ranges with an invalid `q`.
 *
 * @param accept The value of the Accept header; without one, or if it is empty, all types have the same quality.
 * @param offered in the server's order of preference
 * @returns `undefined` if the client accepts none of them
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 ranges
 * @see RFC 9110 §12.5.1
 * @example
 * selectType("text/csv;q=0.5, application/json", ["text/csv", "application/json"]); // "application/json"
 */
export function selectType<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  const ranges = parseWeighted("Accept", accept);
  if (ranges === undefined) return offered[0];
  let selected: T | undefined;
  let best = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > best) [selected, best] = [type, quality];
  }
  return selected;
}

/**
 * Whether a client asks for XML: it names `application/xml` or `text/xml`, and does not name `text/html`. Browsers name both, and want no XML.
 *
 * @param accept the value of the Accept header
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 ranges
 * @example
 * namesXml("text/html,application/xml;q=0.9,*\/*;q=0.8"); // false
 */
export function namesXml(accept: string | undefined): boolean {
  const named = (parseWeighted("Accept", accept) ?? []).filter(({ quality }) => quality > 0).map(({ range }) => range);
  return (named.includes("application/xml") || named.includes("text/xml")) && !named.includes("text/html");
}

/**
 * Whether a client asks for an event stream: it names `text/event-stream`, and likes nothing better. A type of JSON that it likes equally comes first; `*` is none.
 *
 * @param accept the value of the Accept header
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 ranges
 * @example
 * prefersEvents("text/event-stream, *\/*"); // true
 */
export function prefersEvents(accept: string | undefined): boolean {
  if (accept === undefined || !/event-stream/i.test(accept)) return false;
  const ranges = parseWeighted("Accept", accept) ?? [];
  const liked = ranges.find(({ range }) => range === "text/event-stream")?.quality ?? 0;
  return liked > 0 && !ranges.some(({ range, quality }) => quality > liked || (quality === liked && range.endsWith("json")));
}

/** Of several equal ranges the highest quality counts, so that their order does not matter. */
function qualityOf(offered: string, ranges: readonly Weighted[]): number {
  const type = withoutParameters(offered);
  const anySubtype = `${type.slice(0, type.indexOf("/"))}/*`;
  let precision = -1;
  let best = 0;
  for (const { range, quality } of ranges) {
    const own = range === type ? 2 : range === anySubtype ? 1 : isAny(range) ? 0 : -1;
    if (own < 0 || own < precision || (own === precision && quality <= best)) continue;
    [precision, best] = [own, quality];
  }
  return best;
}

/** A lone `*` is not in the grammar, but the HTTP client of older JDKs sends it. */
function isAny(range: string): boolean {
  return range === "*/*" || range === "*";
}

function withoutParameters(type: string): string {
  const end = type.indexOf(";");
  return (end === -1 ? type : type.slice(0, end).trimEnd()).toLowerCase();
}
