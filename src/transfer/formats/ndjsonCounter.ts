import type { RecordCount, RecordCounter } from "./recordCounter.js";

const lineFeed = 0x0a;
const space = 0x20;

/** Counts the lines of NDJSON that hold more than the white space of JSON. */
export class NdjsonCounter implements RecordCounter {
  row = 0;
  line = 1;
  /** Whether the line holds more than white space. */
  #isOpen = false;
  #last = lineFeed;

  add(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (!this.#isOpen) {
        at = skipBlank(bytes, at);
        if (at === bytes.length) break;
        this.#isOpen = bytes[at] !== lineFeed;
      }
      const end = bytes.indexOf(lineFeed, at);
      if (end === -1) break;
      if (this.#isOpen) this.row += 1;
      this.line += 1;
      this.#isOpen = false;
      at = end + 1;
    }
    this.#last = bytes.at(-1) ?? this.#last;
  }

  end(): RecordCount {
    return { records: this.row + (this.#isOpen ? 1 : 0), lines: this.#last === lineFeed ? this.line - 1 : this.line };
  }
}

/** Where the first byte from `at` on stands that is no space, tab or carriage return. */
function skipBlank(bytes: Uint8Array, at: number): number {
  let next = at;
  for (; next < bytes.length; next++) {
    const byte = bytes[next] ?? 0;
    if (byte > space || byte === lineFeed || (byte !== space && byte !== 0x09 && byte !== 0x0d)) break;
  }
  return next;
}
