import type { RecordCount, RecordCounter } from "./recordCounter.js";

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Counts the records of CSV: lines that are not empty, where line ends in quotes end nothing.
 *
 * The delimiter plays no part: in what is well-formed, whether the quotes before a byte are odd in number tells whether it stands in quotes.
 */
export class CsvCounter implements RecordCounter {
  row = 0;
  line = 1;
  #isQuoted = false;
  /** Whether bytes of a record have come that has not ended. */
  #isOpen = false;
  #last = lineFeed;

  add(bytes: Uint8Array): void {
    let isQuoted = this.#isQuoted;
    // Where the record would begin whose end is looked for.
    let start = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte > quote) continue;
      if (byte === quote) {
        isQuoted = !isQuoted;
      } else if (byte === carriageReturn || byte === lineFeed) {
        const endsPair = byte === lineFeed && (index === 0 ? this.#last : bytes[index - 1]) === carriageReturn;
        if (!endsPair) this.line += 1;
        if (isQuoted) continue;
        if (this.#isOpen || index > start) this.row += 1;
        this.#isOpen = false;
        start = index + 1;
      }
    }
    if (bytes.length > start) this.#isOpen = true;
    this.#isQuoted = isQuoted;
    this.#last = bytes.at(-1) ?? this.#last;
  }

  end(): RecordCount {
    const endsLine = this.#last === lineFeed || this.#last === carriageReturn;
    return { records: this.row + (this.#isOpen ? 1 : 0), lines: endsLine ? this.line - 1 : this.line };
  }
}
