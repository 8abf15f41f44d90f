import { type CharsetDecoder, encodingFault } from "./charsetDecoder.js";
import { LineCounter } from "./lineCounter.js";

/** Converts UTF-16 to UTF-8. */
export class Utf16Decoder implements CharsetDecoder {
  readonly #isBigEndian: boolean;
  readonly #lines = new LineCounter();
  /** An incomplete code unit, half of a surrogate pair, or both. */
  #open: Uint8Array = new Uint8Array(0);
  /** Bytes of the file before `#open`. */
  #offset: number;

  constructor(isBigEndian: boolean, offset: number) {
    this.#isBigEndian = isBigEndian;
    this.#offset = offset;
  }

  add(bytes: Uint8Array): Uint8Array {
    const joined = Buffer.concat([this.#open, bytes]);
    const text = this.#decode(joined);
    if (!text.isWellFormed()) throw this.#fault(text, findLoneSurrogate(text));
    this.#open = joined.subarray(2 * text.length);
    this.#offset += 2 * text.length;
    const encoded = Buffer.from(text, "utf8");
    this.#lines.add(encoded);
    return encoded;
  }

  end(): void {
    if (this.#open.length > 0) throw encodingFault("the file ends in the middle of a UTF-16 character.", this.#lines.line, this.#offset);
  }

  /** All complete code units, without a last first half of a surrogate pair whose second half has not arrived. */
  #decode(bytes: Buffer): string {
    const units = Buffer.from(bytes.subarray(0, bytes.length & ~1));
    const text = (this.#isBigEndian ? units.swap16() : units).toString("utf16le");
    return isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
  }

  #fault(text: string, at: number) {
    this.#lines.add(Buffer.from(text.slice(0, at), "utf8"));
    const unit = text.charCodeAt(at).toString(16).toUpperCase();
    return encodingFault(`U+${unit} is half of a surrogate pair without the other half.`, this.#lines.line, this.#offset + 2 * at);
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function findLoneSurrogate(text: string): number {
  const wellFormed = text.toWellFormed();
  let at = 0;
  while (text.charCodeAt(at) === wellFormed.charCodeAt(at)) at += 1;
  return at;
}
