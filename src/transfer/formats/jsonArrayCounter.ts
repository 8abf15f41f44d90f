import type { RecordCount, RecordCounter } from "./recordCounter.js";

const lineFeed = 0x0a;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/** Counts the items of a JSON array. */
export class JsonArrayCounter implements RecordCounter {
  row = 0;
  line = 1;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** Whether bytes of an item have come that has not ended. */
  #isOpen = false;
  #last = lineFeed;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === lineFeed) this.line += 1;
      else if (this.#isText) this.#addText(byte);
      else if (byte > space) this.#addToken(byte);
    }
    this.#last = bytes.at(-1) ?? this.#last;
  }

  end(): RecordCount {
    return { records: this.row, lines: this.#last === lineFeed ? this.line - 1 : this.line };
  }

  #addText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isText = false;
  }

  #addToken(byte: number): void {
    const isClosing = (byte | braceBit) === closing;
    if (isClosing) this.#depth -= 1;
    if (this.#depth === (isClosing ? 0 : 1) && (isClosing || byte === comma)) this.#endItem();
    else if (this.#depth > 0) this.#isOpen = true;
    if ((byte | braceBit) === opening) this.#depth += 1;
    if (byte === quote) this.#isText = true;
  }

  #endItem(): void {
    if (this.#isOpen) this.row += 1;
    this.#isOpen = false;
  }
}
