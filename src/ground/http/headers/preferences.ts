import { splitOutsideQuotes } from "./splitOutsideQuotes.js";

/**
 * The preferences of a `Prefer` header by their names in lower case; the first of a repeated preference counts, and a preference without a value has the empty one.
 *
 * @see RFC 7240 §2
 */
export function preferencesOf(header: string | undefined): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  if (header === undefined) return given;
  for (const part of splitOutsideQuotes(header, ",")) {
    const [preference = ""] = splitOutsideQuotes(part, ";");
    const equals = preference.indexOf("=");
    const name = (equals === -1 ? preference : preference.slice(0, equals)).trim().toLowerCase();
    const value = equals === -1 ? "" : preference.slice(equals + 1).trim();
    if (!given.has(name)) given.set(name, value.replace(/^"(.*)"$/, "$1"));
  }
  return given;
}
