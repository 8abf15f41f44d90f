import { isUtf8 } from "node:buffer";
import { type CharsetDecoder, encodingFault } from "./charsetDecoder.js";
import { LineCounter } from "./lineCounter.js";

/** Validates UTF-8 and passes it through in parts that end between two characters. */
export class Utf8Decoder implements CharsetDecoder {
  readonly #lines = new LineCounter();
  /** The first bytes of an incomplete character. */
  #open: Uint8Array = new Uint8Array(0);
  /** Bytes of the file before `#open`. */
  #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  add(bytes: Uint8Array): Uint8Array {
    const joined = this.#open.length === 0 ? bytes : Buffer.concat([this.#open, bytes]);
    const end = lastBoundary(joined);
    const text = joined.subarray(0, end);
    if (!isUtf8(text)) throw this.#fault(text, findUtf8Fault(text));
    this.#open = joined.subarray(end);
    this.#offset += end;
    this.#lines.add(text);
    return text;
  }

  end(): void {
    if (this.#open.length > 0) throw this.#fault(this.#open, 0);
  }

  #fault(bytes: Uint8Array, at: number) {
    this.#lines.add(bytes.subarray(0, at));
    const first = (bytes[at] ?? 0).toString(16);
    return encodingFault(`the byte 0x${first} is not UTF-8. Send UTF-8, or UTF-16 with a byte-order mark.`, this.#lines.line, this.#offset + at);
  }
}

/** Index at which the last, incomplete character begins; the length if the last character is complete or invalid. */
function lastBoundary(bytes: Uint8Array): number {
  for (let width = 1; width <= 3 && width <= bytes.length; width++) {
    const start = bytes.length - width;
    const needed = utf8Width(bytes[start] ?? 0);
    if (needed > 0) return needed > width ? start : bytes.length;
  }
  return bytes.length;
}

/** Number of bytes of the character that begins with this byte; 0 if no character does. */
function utf8Width(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

/**
 * The index of the first byte that is not part of a valid UTF-8 character; the length if all bytes are valid.
 *
 * @see RFC 3629 §4
 */
export function findUtf8Fault(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const width = utf8Width(bytes[at] ?? 0);
    if (width === 0 || !isCharacter(bytes, at, width)) return at;
    at += width;
  }
  return at;
}

function isCharacter(bytes: Uint8Array, at: number, width: number): boolean {
  if (at + width > bytes.length) return false;
  for (let index = at + 1; index < at + width; index++) {
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return false;
  }
  const second = bytes[at + 1] ?? 0;
  switch (bytes[at]) {
    // The cases: overlong, surrogate half, overlong, above U+10FFFF.
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}
