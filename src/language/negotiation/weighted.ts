import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import { type ProblemItem, problemOf } from "../../ground/problem/index.js";

/** One element of an Accept header: what the client accepts, and how much. */
export interface Weighted {
  /** In lower case, without parameters: `text/*`, `gzip`, `de-ch`, `*`. */
  readonly range: string;
  /** The client's weight, from 0 (not acceptable) to 1. */
  readonly quality: number;
}

/** Longest value of an Accept header, in bytes. */
export const maxAcceptBytes = 2_048;

/** The most elements of an Accept header. */
export const maxAcceptRanges = 50;

/** The grammar of a weight; a missing leading zero is accepted, as the HTTP client of older JDKs sends `q=.2`. */
const qvalue = /^(?:0(?:\.\d{0,3})?|\.\d{1,3}|1(?:\.0{0,3})?)$/;
const rangeText = /^[\w!#$%&'*+.^`|~-]+(?:\/[\w!#$%&'*+.^`|~-]+)?$/;
/** Elements and parameters; a separator within quotes does not count. An open quote ends at the end of the text. */
const elements = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const parameters = /(?:[^";]|"(?:[^"\\]|\\.)*"?)+/g;

/** Most clients send one of a few values, and parsing that of a browser takes 3 µs. With the longest values it needs 1 MB. */
const parsed = new RecentlyUsed<readonly Weighted[]>(128);

/**
 * Parses the value of a header such as Accept or Accept-Language, in the order sent. Elements that are invalid are ignored, and so are parameters other than `q`.
 *
 * @param header its name, for the problem
 * @returns `undefined` if the header was not sent or lists nothing: it then says nothing
 * @throws {ProblemError} MALFORMED_HEADER for a value of more than 2,048 bytes, or with more than 50 elements
 * @see RFC 9110 §12.4.2
 * @example
 * parseWeighted("Accept", "text/html, *\/*;q=0.8"); // [{ range: "text/html", quality: 1 }, { range: "*\/*", quality: 0.8 }]
 */
export function parseWeighted(header: string, value: string | undefined): readonly Weighted[] | undefined {
  if (value === undefined || value === "") return undefined;
  if (value.length > maxAcceptBytes) throw tooLarge(header, maxAcceptBytes, "bytes");
  const known = parsed.get(value);
  if (known !== undefined) return known;
  // Quotes are rare, and it is faster without a regular expression.
  const parts = value.includes('"') ? (value.match(elements) ?? []) : value.split(",");
  const list: Weighted[] = [];
  let count = 0;
  for (const part of parts) {
    const element = part.trim();
    if (element === "") continue;
    if (++count > maxAcceptRanges) throw tooLarge(header, maxAcceptRanges, "elements");
    const weighted = parseElement(element);
    if (weighted !== undefined) list.push(weighted);
  }
  if (count === 0) return undefined;
  parsed.set(value, list);
  return list;
}

function parseElement(element: string): Weighted | undefined {
  const end = element.indexOf(";");
  const range = (end === -1 ? element : element.slice(0, end).trimEnd()).toLowerCase();
  const quality = end === -1 ? 1 : qualityIn(element.slice(end + 1));
  return quality === undefined || !rangeText.test(range) ? undefined : { range, quality };
}

/** @returns `undefined` for an invalid weight */
function qualityIn(text: string): number | undefined {
  for (const parameter of text.includes('"') ? (text.match(parameters) ?? []) : text.split(";")) {
    const equals = parameter.indexOf("=");
    if (equals === -1 || parameter.slice(0, equals).trim().toLowerCase() !== "q") continue;
    const weight = parameter.slice(equals + 1).trim();
    return qvalue.test(weight) ? Number(weight) : undefined;
  }
  return 1;
}

function tooLarge(header: string, maximum: number, unit: string) {
  const item: ProblemItem = {
    code: "MALFORMED_HEADER",
    detail: `The header ${header} has more than ${maximum} ${unit}.`,
    header,
    maximum,
  };
  return problemOf("MALFORMED_HEADER", [item]);
}
