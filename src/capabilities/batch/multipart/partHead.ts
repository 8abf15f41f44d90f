import { hasControl, parsePartFields as parseFields } from "../../../ground/http/body/partFields.js";
import { invalidBatch } from "../invalidBatch.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The lines before the first empty line, without line breaks, and the bytes after it. */
export interface PartHead {
  readonly lines: readonly string[];
  readonly rest: Uint8Array;
}

/**
 * Splits the head from a part, or from the message inside it.
 *
 * Lenient: lines may end in a bare LF, and a head may end with the bytes (the empty line of a request without a body is often the one that
 * belongs to the boundary). Strict: no control characters, so no bare CR and no NUL.
 *
 * @param limitBytes the most bytes of a head, line breaks included
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
    if (hasControl(line)) throw invalidBatch("A header line contains a control character; lines end in CRLF.");
    lines.push(line);
  }
  if (window.length < bytes.length) throw invalidBatch(`The headers are larger than ${limitBytes} bytes.`);
  return { lines, rest: bytes.subarray(bytes.length) };
}

/**
 * Parses header lines to values by lower-case name.
 *
 * @throws {ProblemError} INVALID_BATCH if {@link parseFields} rejects the lines
 */
export function parsePartFields(lines: readonly string[]): ReadonlyMap<string, string> {
  return parseFields(lines, invalidBatch);
}
