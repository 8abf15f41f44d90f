import { ByteCollector } from "../../../ground/http/body/byteCollector.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { CsvLimits, CsvRowOptions } from "./csvRows.js";
import { RowChunks } from "./rowChunks.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

/** What a byte means outside of quotes. Zero means text, which the scanner skips fastest. */
const kinds = { text: 0, delimiter: 1, lineEnd: 2, quote: 3, wide: 4 } as const;

/** What is known of a cell, as bits. */
const bits = { quoted: 1, hasQuotes: 2, isWide: 4 } as const;

type State = "between rows" | "at a cell" | "in text" | "in quotes" | "after a quote";

/**
 * Scans CSV that arrives in parts, and tracks the position in the file.
 *
 * Every byte is looked at once, also if it arrives alone. Only bytes of ASCII have a meaning in CSV, and no byte of another character is one of them, so that
 * the bytes need not be decoded to find the cells.
 *
 * @see RFC 4180 §2
 */
export class CsvScanner {
  readonly chunks: RowChunks;
  readonly #kinds: Uint8Array;
  readonly #limits: CsvLimits;
  readonly #isHeader: boolean;
  /** The bytes from the beginning of the unfinished row on. */
  #kept = new ByteCollector();
  /** Bytes of the file before `#kept`. */
  #before: number;
  /** The next byte of `#kept` to look at. */
  #at = 0;
  /** Where the row begins in `#kept`. */
  #start = 0;
  #state: State = "between rows";
  /** Beginning, end and bits of each finished cell of the row; only the first `#bound` numbers are valid. */
  readonly #bounds: number[] = [];
  #bound = 0;
  /** Finished cells of the row, also those that are not kept because the row is too wide. */
  #cells = 0;
  /** Where the text of the unfinished cell begins in `#kept`, without its quote. */
  #cellAt = 0;
  #cellBits = 0;
  #cellLine: number;
  /** Rows that are finished. */
  #row: number;
  /** The line of the row, and of the byte at `#at`. */
  #rowLine: number;
  #line: number;

  constructor({ from, limits, delimiter, isHeader = false, ...size }: CsvRowOptions) {
    this.chunks = new RowChunks(size, from);
    this.#kinds = kindsWith(delimiter);
    this.#limits = limits;
    this.#isHeader = isHeader;
    this.#before = from.byte;
    this.#row = from.row;
    this.#line = from.line;
    this.#rowLine = from.line;
    this.#cellLine = from.line;
  }

  /** Adds the rows that end in these bytes. @returns why the file cannot be read further */
  add(bytes: Uint8Array): ProblemError | undefined {
    this.#kept.add(bytes);
    return this.#scan(false);
  }

  /** Adds the row that the end of the file ends. @returns why it cannot be read */
  end(): ProblemError | undefined {
    return this.#scan(true);
  }

  #scan(isEnd: boolean): ProblemError | undefined {
    const bytes = this.#kept.bytes();
    let text: string | undefined;
    while (this.#skipBlankLines(bytes, isEnd)) {
      const found = this.#scanRow(bytes, isEnd);
      if (found !== "row" || this.#at - this.#start > this.#limits.rowBytes) {
        const fault = this.#faultOf(found);
        if (fault === undefined) break;
        return fault;
      }
      // One copy of all bytes is cheaper than one of each cell. Each character is a byte, so that cells of ASCII are slices.
      text ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
      this.#endRow(bytes, text);
    }
    this.#drop(bytes, this.#state === "between rows" ? this.#at : this.#start);
    return undefined;
  }

  /** @returns whether a row begins at `#at`, or has begun before */
  #skipBlankLines(bytes: Uint8Array, isEnd: boolean): boolean {
    if (this.#state !== "between rows") return true;
    let at = this.#at;
    for (;;) {
      const byte = bytes[at];
      if (byte !== lineFeed && byte !== carriageReturn) break;
      const length = lineEndLength(bytes, at, isEnd);
      if (length === 0) break;
      at += length;
      this.#line += 1;
    }
    this.#at = at;
    const begins = at < bytes.length && bytes[at] !== carriageReturn;
    if (begins) {
      this.#start = at;
      this.#rowLine = this.#line;
      this.#bound = this.#cells = 0;
      this.#state = "at a cell";
    }
    return begins;
  }

  /** Goes on to the line end of the row, as far as the bytes go. */
  #scanRow(bytes: Uint8Array, isEnd: boolean): Found {
    for (;;) {
      if (this.#state === "at a cell" && !this.#beginCell(bytes, isEnd)) return "nothing";
      const byte = this.#state === "in text" ? this.#skipText(bytes) : this.#skipQuoted(bytes);
      if (byte === kinds.quote) return "bad quote";
      const isCut = this.#at === bytes.length;
      if (isCut && (!isEnd || this.#state === "in quotes")) return isEnd ? "open quote" : "nothing";
      // After a carriage return, a line feed may follow in the next bytes.
      if (byte === kinds.lineEnd && lineEndLength(bytes, this.#at, isEnd) === 0) return "nothing";
      this.#endCell();
      if (byte !== kinds.delimiter) return "row";
      this.#at += 1;
      this.#state = "at a cell";
    }
  }

  /** @returns false if the first byte of the cell is not known yet */
  #beginCell(bytes: Uint8Array, isEnd: boolean): boolean {
    if (this.#at === bytes.length && !isEnd) return false;
    const isQuoted = bytes[this.#at] === quote;
    if (isQuoted) this.#at += 1;
    this.#cellAt = this.#at;
    this.#cellBits = isQuoted ? bits.quoted : 0;
    this.#cellLine = this.#line;
    this.#state = isQuoted ? "in quotes" : "in text";
    return true;
  }

  /** @returns the kind of the byte that ends a cell without quotes; that of text at the end of the bytes */
  #skipText(bytes: Uint8Array): number {
    const known = this.#kinds;
    const { length } = bytes;
    for (let at = this.#at; at < length; at++) {
      const kind = known[bytes[at] as number] as number;
      if (kind === kinds.text) continue;
      if (kind === kinds.wide) {
        this.#cellBits |= bits.isWide;
        continue;
      }
      this.#at = at;
      return kind;
    }
    this.#at = length;
    return kinds.text;
  }

  /** @returns the kind of the byte after the quotes: a quote if it cannot be there; that of text at the end of the bytes */
  #skipQuoted(bytes: Uint8Array): number {
    const known = this.#kinds;
    const { length } = bytes;
    let at = this.#at;
    for (;;) {
      if (this.#state === "in quotes") {
        for (; at < length; at++) {
          const kind = known[bytes[at] as number] as number;
          if (kind === kinds.quote) break;
          if (kind === kinds.wide) this.#cellBits |= bits.isWide;
          else if (kind === kinds.lineEnd && (bytes[at] === carriageReturn || bytes[at - 1] !== carriageReturn)) this.#line += 1;
        }
        if (at === length) break;
        at += 1;
        this.#state = "after a quote";
      }
      if (bytes[at] !== quote) break;
      // Two quotes mean one.
      this.#cellBits |= bits.hasQuotes;
      this.#state = "in quotes";
      at += 1;
    }
    this.#at = at;
    if (at === length) return kinds.text;
    const kind = known[bytes[at] as number] as number;
    return kind === kinds.delimiter || kind === kinds.lineEnd ? kind : kinds.quote;
  }

  #endCell(): void {
    this.#cells += 1;
    // A megabyte of delimiters would become a million texts at once.
    if (this.#cells > this.#limits.columns + 1) return;
    const bounds = this.#bounds;
    bounds[this.#bound] = this.#cellAt;
    bounds[this.#bound + 1] = this.#state === "after a quote" ? this.#at - 1 : this.#at;
    bounds[this.#bound + 2] = this.#cellBits;
    this.#bound += 3;
  }

  #endRow(bytes: Uint8Array, text: string): void {
    const cells: string[] = [];
    let quotedEmpty: Set<number> | undefined;
    for (let bound = 0; bound < this.#bound; bound += 3) {
      const begin = this.#bounds[bound] as number;
      const end = this.#bounds[bound + 1] as number;
      const known = this.#bounds[bound + 2] as number;
      const cell = (known & bits.isWide) === 0 ? text.slice(begin, end) : decode(bytes, begin, end);
      if ((known & bits.quoted) !== 0 && begin === end) {
        quotedEmpty ??= new Set();
        quotedEmpty.add(cells.length);
      }
      cells.push((known & bits.hasQuotes) === 0 ? cell : cell.replaceAll('""', '"'));
    }
    this.#row += 1;
    this.#line += 1;
    this.#at += lineEndLength(bytes, this.#at, true);
    this.#state = "between rows";
    const width = this.#cells > cells.length ? this.#cells : undefined;
    this.chunks.add({ row: this.#row, line: this.#rowLine, cells, quotedEmpty, width }, this.#line, this.#before + this.#at);
  }

  #drop(bytes: Uint8Array, length: number): void {
    if (length === 0) return;
    this.#kept = new ByteCollector();
    if (length < bytes.length) this.#kept.add(bytes.subarray(length));
    this.#before += length;
    this.#at -= length;
    this.#start = 0;
    this.#cellAt -= length;
    for (let bound = 0; bound < this.#bound; bound += 3) {
      this.#bounds[bound] = (this.#bounds[bound] as number) - length;
      this.#bounds[bound + 1] = (this.#bounds[bound + 1] as number) - length;
    }
  }

  #faultOf(found: Found): ProblemError | undefined {
    const row = this.#isHeader || this.#row < 0 ? undefined : this.#row + 1;
    if (this.#at - this.#start > this.#limits.rowBytes) {
      const hint = this.#state === "in quotes" ? ` A quote in line ${this.#cellLine} is not closed.` : "";
      return csvProblem("ROW_TOO_LARGE", { row, line: this.#rowLine }, `the row is longer than ${this.#limits.rowBytes} bytes.${hint}`);
    }
    const column = this.#cells + 1;
    const location = { row, line: this.#cellLine, column };
    if (found === "open quote") return csvProblem("QUOTE_NOT_CLOSED", location, `column ${column} begins with a quote that is never closed.`);
    if (found !== "bad quote") return undefined;
    const what = `column ${column} has a quote in an invalid position. Put the cell in quotes and write the quote twice.`;
    return csvProblem("BAD_QUOTE", location, what);
  }
}

type Found = "row" | "nothing" | "bad quote" | "open quote";

/** @throws {RangeError} if the delimiter is not one character of ASCII, or has another meaning in CSV */
function kindsWith(delimiter: string): Uint8Array {
  const known = new Uint8Array(256);
  known.fill(kinds.wide, 0x80);
  known[lineFeed] = kinds.lineEnd;
  known[carriageReturn] = kinds.lineEnd;
  known[quote] = kinds.quote;
  const code = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || known[code] !== kinds.text) {
    throw new RangeError(`A delimiter of CSV is one character of ASCII, such as "," or ";"; got ${JSON.stringify(delimiter)}.`);
  }
  known[code] = kinds.delimiter;
  return known;
}

/** The number of bytes of the line end at an index; zero if it may go on in the next bytes, or if the file ends there. */
function lineEndLength(bytes: Uint8Array, at: number, isEnd: boolean): number {
  if (at === bytes.length || bytes[at] === lineFeed) return at === bytes.length ? 0 : 1;
  if (at + 1 === bytes.length) return isEnd ? 1 : 0;
  return bytes[at + 1] === lineFeed ? 2 : 1;
}

function decode(bytes: Uint8Array, begin: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString("utf8");
}

/** Where a fault is. */
interface CsvLocation {
  /** `undefined` for the header. */
  readonly row: number | undefined;
  readonly line: number;
  /** The first column is 1. */
  readonly column?: number;
}

function csvProblem(code: "BAD_QUOTE" | "QUOTE_NOT_CLOSED" | "ROW_TOO_LARGE", { row, line, column }: CsvLocation, what: string): ProblemError {
  const detail = `${row === undefined ? "Header" : `Row ${row}`}, line ${line}: ${what}`;
  return new ProblemError(code, detail, { extensions: { row, line, column } });
}
