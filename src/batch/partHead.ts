import { singletonRule } from "../http/singletons.js";
import { isToken } from "../http/token.js";
import { ProblemError } from "../problem/index.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The lines before the first empty one, without their line breaks, and what follows. */
export interface PartHead {
  readonly lines: readonly string[];
  readonly rest: Uint8Array;
}

/**
 * Cuts the head from a part, or from the message inside it.
 *
 * Lenient: lines may end in a bare LF, and a head may end where the bytes end (the empty line of a request without a body is often the one that
 * belongs to the boundary). Strict: no control characters, so no bare CR and no NUL.
 *
 * @param limitBytes Most bytes of a head, line breaks included.
 * @throws {ProblemError} INVALID_BATCH
 */
export function readPartHead(bytes: Uint8Array, limitBytes: number): PartHead {
  const window = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, limitBytes));
  const lines: string[] = [];
  let at = 0;
  while (at < window.length) {
    const found = window.indexOf(lineFeed, at);
    if (found === -1 && window.length < bytes.length) break;
    const end = found === -1 ? window.length : found;
    const line = window.toString("latin1", at, end > at && found !== -1 && window[end - 1] === carriageReturn ? end - 1 : end);
    at = end + 1;
    if (line === "") return { lines, rest: bytes.subarray(at) };
    if (hasControl(line)) throw invalid("A header line contains a control character; lines end in CRLF.");
    lines.push(line);
  }
  if (window.length < bytes.length) throw invalid(`The headers are larger than ${limitBytes} bytes.`);
  return { lines, rest: bytes.subarray(bytes.length) };
}

function hasControl(line: string): boolean {
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

/**
 * Parses header lines to values by lower-case name. Repeated lines are joined with `, `, but for headers that stand once.
 *
 * @throws {ProblemError} INVALID_BATCH for folded lines, for space before the colon, for names that are no tokens, for a repeated `Content-*` or `Host`
 * @see RFC 9112 §5
 */
export function parsePartFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    if (line.startsWith(" ") || line.startsWith("\t")) throw invalid("A header is folded over two lines; each must stand on one line.");
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isToken(name)) throw invalid(`The header line "${shorten(line)}" is not "Name: value".`);
    const value = trimSpace(line.slice(colon + 1));
    const before = fields.get(name);
    if (before !== undefined && standsOnce(name))
      throw invalid(`The header "${shorten(name)}" was sent more than once; it may stand once in a part.`);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
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

function invalid(detail: string): ProblemError {
  return new ProblemError("INVALID_BATCH", detail);
}
