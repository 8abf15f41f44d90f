import type { ProblemError } from "../../problem/index.js";
import { singletonRule } from "../headers/singletons.js";
import { isToken } from "../headers/token.js";

/**
 * Parses the header lines of a part to values by lower-case name. Repeated lines are joined with `, `, except for headers that are allowed once.
 *
 * @param lines without their line breaks and without control characters
 * @param refuse makes the error for folded lines, space before the colon, names that are not tokens, and a repeated `Content-*` or `Host`
 * @see RFC 9112 §5
 */
export function parsePartFields(lines: readonly string[], refuse: (detail: string) => ProblemError): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    if (line.startsWith(" ") || line.startsWith("\t")) throw refuse("A header is folded over two lines; each must be on one line.");
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isToken(name)) throw refuse(`The header line "${shorten(line)}" is not "Name: value".`);
    const value = trimSpace(line.slice(colon + 1));
    const before = fields.get(name);
    if (before !== undefined && standsOnce(name))
      throw refuse(`The header "${shorten(name)}" was sent more than once; it is allowed once in a part.`);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

/** Whether a line contains a control character other than tab. */
export function hasControl(line: string): boolean {
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

function standsOnce(name: string): boolean {
  return name.startsWith("content-") || name === "host" || singletonRule(name) !== undefined;
}

/** A pattern for trailing whitespace would backtrack. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

function shorten(text: string): string {
  return text.slice(0, 64);
}
