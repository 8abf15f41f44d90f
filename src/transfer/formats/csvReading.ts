import { ByteCollector } from "../../http/byteCollector.js";
import type { ProblemError } from "../../problem/index.js";
import { csvFault, csvProblem } from "./csvProblem.js";
import type { CsvRowOptions } from "./csvRows.js";
import { countLineEnds } from "./lineCounter.js";
import { findQuotedEmpty } from "./quotedEmpty.js";
import { RowChunks } from "./rowChunks.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

/** More than the parser looks ahead: so many bytes may hold rows that it has not told yet. */
const lookAhead = 16;

/**
 * Where a parser of CSV stands in a file.
 *
 * It tells cells, and where rows end. The bytes since the last end, which are kept here, tell the rest: lines, quotes around nothing, how long a row is.
 * The parser's own count of lines takes CRLF in quotes for two, and its limit sees neither delimiters nor quotes.
 */
export class CsvReading {
  readonly chunks: RowChunks;
  readonly #rowBytes: number;
  readonly #isHeader: boolean;
  /** Bytes of the file that the parser does not get. */
  readonly #before: number;
  /** What the parser has got, from the end of a row on. */
  #kept = new ByteCollector();
  #text = new Uint8Array(0) as Uint8Array;
  /** Bytes that the parser had got before `#text`. */
  #dropped = 0;
  /** Where in `#text` the next row begins, but for blank lines. */
  #at = 0;
  #row: number;
  #line: number;

  constructor({ from, limits, isHeader = false, ...size }: CsvRowOptions) {
    this.chunks = new RowChunks(size, from);
    this.#rowBytes = limits.rowBytes;
    this.#isHeader = isHeader;
    this.#before = from.byte;
    this.#row = from.row;
    this.#line = from.line;
  }

  /** Bytes that the parser gets next. */
  open(bytes: Uint8Array): void {
    this.#kept.add(bytes);
    this.#text = this.#kept.bytes();
  }

  /**
   * A row that the parser has found.
   *
   * @param end Bytes that the parser had got up to the end of the row.
   * @throws {ProblemError} ROW_TOO_LARGE
   */
  add(cells: readonly string[], end: number): void {
    this.#skipBlankLines();
    const start = this.#at;
    this.#at = end - this.#dropped;
    const stop = withoutLineEnd(this.#text, this.#at);
    if (stop - start > this.#rowBytes) throw this.#tooLarge("");
    const line = this.#line;
    this.#row += 1;
    this.#line += 1;
    // A row of ASCII without quotes is as long as its cells, and such are most.
    const text = stop - start === joinedLength(cells) ? undefined : this.#text.subarray(start, stop);
    if (text !== undefined) this.#line += countLineEnds(text);
    const quotedEmpty = text === undefined ? undefined : findQuotedEmpty(text, cells);
    this.chunks.add({ row: this.#row, line, cells, quotedEmpty }, this.#line, this.#before + end);
  }

  /**
   * The parser has taken what it got: what it has told all about can go.
   *
   * @param parsed Bytes that it had got up to the end of the last cell.
   * @returns ROW_TOO_LARGE where the row that has not ended is too long: the parser itself would collect empty cells without end.
   */
  settle(parsed: number): ProblemError | undefined {
    this.#skipBlankLines();
    if (this.#at > 0) this.#drop(this.#at);
    return this.#text.length > this.#rowBytes + lookAhead ? this.#tooLarge(this.#openQuote(parsed)) : undefined;
  }

  /**
   * The problem that an error of the parser stands for.
   *
   * @param parsed Bytes that it had got up to the end of the last cell.
   */
  problem(error: Error, parsed: number): Error {
    const code = csvFault(error);
    if (code === undefined) return error;
    if (code === "ROW_TOO_LARGE") return this.#tooLarge(this.#openQuote(parsed), error);
    const column = "column" in error && typeof error.column === "number" ? error.column + 1 : undefined;
    const place = { row: this.#rowNumber(), line: this.#cell(parsed).line, column };
    const what =
      code === "QUOTE_NOT_CLOSED"
        ? `column ${column} begins with a quote that nothing closes.`
        : `column ${column} has a quote where none may stand. Write it twice, in a cell in quotes.`;
    return csvProblem(code, place, what, error);
  }

  #drop(length: number): void {
    const rest = this.#text.subarray(length);
    this.#kept = new ByteCollector();
    if (rest.length > 0) this.#kept.add(rest);
    this.#text = rest;
    this.#dropped += length;
    this.#at = 0;
  }

  #tooLarge(hint: string, cause?: Error): ProblemError {
    const place = { row: this.#rowNumber(), line: this.#line };
    return csvProblem("ROW_TOO_LARGE", place, `the row is longer than ${this.#rowBytes} bytes.${hint}`, cause);
  }

  #openQuote(parsed: number): string {
    const { start, line } = this.#cell(parsed);
    return this.#text[start] === quote ? ` A quote in line ${line} is not closed so far.` : "";
  }

  /** The cell that the parser has not ended: where it begins, and in which line. */
  #cell(parsed: number): { readonly start: number; readonly line: number } {
    this.#skipBlankLines();
    const before = parsed - this.#dropped;
    // The cell before the first one of a row ended another row; an empty first one ends where its row begins.
    const isFirst = before < this.#at || (before === this.#at && this.#text[this.#at] === quote);
    const start = isFirst ? this.#at : before + 1;
    return { start, line: this.#line + countLineEnds(this.#text.subarray(this.#at, start)) };
  }

  #rowNumber(): number | undefined {
    return this.#isHeader || this.#row < 0 ? undefined : this.#row + 1;
  }

  #skipBlankLines(): void {
    for (;;) {
      const byte = this.#text[this.#at];
      const next = this.#text[this.#at + 1];
      // Behind a carriage return there may be half of a line end still to come.
      if (byte !== lineFeed && (byte !== carriageReturn || next === undefined)) return;
      this.#at += byte === carriageReturn && next === lineFeed ? 2 : 1;
      this.#line += 1;
    }
  }
}

function withoutLineEnd(text: Uint8Array, end: number): number {
  const last = text[end - 1];
  if (last === lineFeed) return text[end - 2] === carriageReturn ? end - 2 : end - 1;
  return last === carriageReturn ? end - 1 : end;
}

function joinedLength(cells: readonly string[]): number {
  let length = cells.length - 1;
  for (const cell of cells) length += cell.length;
  return length;
}
