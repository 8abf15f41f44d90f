import type { TransferFormat } from "../rows.js";

/** Counts the records of a file while its UTF-8 text streams through. The count of a malformed file is only approximate. */
export interface RecordCounter {
  /** Number of finished records. */
  readonly row: number;
  /** Line of the next byte; the first is 1. */
  readonly line: number;
  add(bytes: Uint8Array): void;
  /** Returns the counts of the whole file; the header of CSV counts as a record. `add` must not be called after it. */
  end(): RecordCount;
}

export interface RecordCount {
  readonly records: number;
  /** All lines, including blank ones. */
  readonly lines: number;
}

/** The counter for a format. */
export function recordCounter(format: TransferFormat): RecordCounter {
  switch (format) {
    case "csv":
      return new CsvCounter();
    case "ndjson":
      return new NdjsonCounter();
    case "json":
      return new JsonArrayCounter();
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/**
 * Counts the records of CSV: the lines that are not empty; a line end in quotes does not end a record.
 *
 * The delimiter does not matter: in well-formed CSV a byte is in quotes if the number of quotes before it is odd.
 */
class CsvCounter implements RecordCounter {
  row = 0;
  line = 1;
  #isQuoted = false;
  /** Whether an unfinished record has bytes. */
  #isOpen = false;
  #last = lineFeed;

  add(bytes: Uint8Array): void {
    let isQuoted = this.#isQuoted;
    // The beginning of the current record, if it begins in these bytes.
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

/** Counts the lines of NDJSON that hold more than the white space of JSON. */
class NdjsonCounter implements RecordCounter {
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

/** Index of the first byte, starting at `at`, that is not a space, tab or carriage return. */
function skipBlank(bytes: Uint8Array, at: number): number {
  let next = at;
  for (; next < bytes.length; next++) {
    const byte = bytes[next] ?? 0;
    if (byte > space || byte === lineFeed || (byte !== space && byte !== 0x09 && byte !== 0x0d)) break;
  }
  return next;
}

/** Counts the items of a JSON array. */
class JsonArrayCounter implements RecordCounter {
  row = 0;
  line = 1;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** Whether an unfinished item has bytes. */
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
