import { weekdays } from "./dates.js";
import { splitOutsideQuotes } from "./splitOutsideQuotes.js";

/** Returns whether a value with a comma must be two values that a host has joined. */
type IsJoined = (value: string) => boolean;

const always: IsJoined = () => true;
const never: IsJoined = () => false;

/** Schemes whose credentials are a token68, which has no comma. Digest and AWS4-HMAC-SHA256 carry lists. */
const commalessSchemes: ReadonlySet<string> = new Set(["bearer", "basic", "apikey"]);

const rules: ReadonlyMap<string, IsJoined> = new Map([
  ["content-type", hasUnquotedComma],
  ["authorization", (value) => commalessSchemes.has(textBefore(value, " ").toLowerCase())],
  // The parser of the key refuses commas with its own code.
  ["idempotency-key", never],
  ["x-api-key", always],
  ["x-api-version", always],
  ["x-http-method-override", always],
  ["x-http-method", always],
  ["x-method-override", always],
  ["if-modified-since", hasForeignDateComma],
  ["if-unmodified-since", hasForeignDateComma],
  // Its grammar is a list of pairs.
  ["upload-metadata", never],
]);

/**
 * The rule of a header that is allowed only once in a request, or `undefined` for any other header.
 *
 * The rule is called for values that contain a comma.
 *
 * @param name In lower case.
 */
export function singletonRule(name: string): IsJoined | undefined {
  return rules.get(name) ?? (name.startsWith("upload-") ? always : undefined);
}

function hasUnquotedComma(value: string): boolean {
  return splitOutsideQuotes(value, ",").length > 1;
}

/** IMF-fixdate and the date of RFC 850 have one comma, after the weekday. */
function hasForeignDateComma(value: string): boolean {
  const isOneComma = value.indexOf(",") === value.lastIndexOf(",");
  const name = textBefore(value, ",").trim().toLowerCase();
  return !isOneComma || !weekdays.some((day) => name === day.toLowerCase() || name === day.slice(0, 3).toLowerCase());
}

function textBefore(value: string, separator: string): string {
  const end = value.indexOf(separator);
  return end === -1 ? value : value.slice(0, end);
}
