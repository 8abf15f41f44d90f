import { isUtf8 } from "node:buffer";
import type { CharsetDecoder } from "./charsetDecoder.js";
import { encodingFault } from "./encodingFault.js";
import { LineCounter } from "./lineCounter.js";
import { findUtf8Fault, utf8Width } from "./utf8Fault.js";

/** Passes UTF-8 on as it is, in parts that end between two characters. */
export class Utf8Decoder implements CharsetDecoder {
  readonly #lines = new LineCounter();
  /** The beginning of a character whose end is still to come. */
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
    return encodingFault(`the byte ${first} begins no character of UTF-8.`, this.#lines.line, this.#offset + at);
  }
}

/** Where the last character begins that is not complete; the length where all are, or cannot become one. */
function lastBoundary(bytes: Uint8Array): number {
  for (let width = 1; width <= 3 && width <= bytes.length; width++) {
    const start = bytes.length - width;
    const needed = utf8Width(bytes[start] ?? 0);
    if (needed > 0) return needed > width ? start : bytes.length;
  }
  return bytes.length;
}
