import { ByteCollector } from "../../http/body/byteCollector.js";
import { ProblemError } from "../../problem/index.js";
import type { CsvRowOptions } from "./csvRows.js";
import { countLineEnds } from "./lineCounter.js";
import { RowChunks } from "./rowChunks.js";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

/** More bytes than the parser looks ahead; rows within them may not be reported yet. */
const parserLookAheadBytes = 16;

/**
 * Tracks the position of a CSV parser in a file.
 *
 * The parser reports cells and the ends of rows. Line numbers, quoted empty cells and the size of a row are taken from the bytes since the last row, which
 * are kept here: the parser counts a CRLF in quotes as two lines, and its size limit counts neither delimiters nor quotes.
 */
export class CsvReading {
  readonly chunks: RowChunks;
  readonly #rowBytes: number;
  readonly #isHeader: boolean;
  /** Bytes of the file before the first one that the parser gets. */
  readonly #before: number;
  /** The bytes that the parser got since the end of a row. */
  #kept = new ByteCollector();
  #text = new Uint8Array(0) as Uint8Array;
  /** Number of bytes that the parser got before `#text`. */
  #dropped = 0;
  /** Index in `#text` at which the next row begins, possibly after blank lines. */
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

  /** Adds the bytes that the parser gets next. */
  open(bytes: Uint8Array): void {
    this.#kept.add(bytes);
    this.#text = this.#kept.bytes();
  }

  /**
   * Adds a row that the parser has reported.
   *
   * @param end number of bytes from the parser's first one to the end of the row
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
    // Fast path: most rows are ASCII without quotes, and exactly as long as their cells and delimiters.
    const text = stop - start === joinedLength(cells) ? undefined : this.#text.subarray(start, stop);
    if (text !== undefined) this.#line += countLineEnds(text);
    const quotedEmpty = text === undefined ? undefined : findQuotedEmpty(text, cells);
    this.chunks.add({ row: this.#row, line, cells, quotedEmpty }, this.#line, this.#before + end);
  }

  /**
   * Drops the bytes of all rows that were reported.
   *
   * @param parsed number of bytes from the parser's first one to the end of the last cell
   * @returns ROW_TOO_LARGE if the unfinished row is too long; the parser has no such limit for empty cells
   */
  dropParsed(parsed: number): ProblemError | undefined {
    this.#skipBlankLines();
    if (this.#at > 0) this.#drop(this.#at);
    return this.#text.length > this.#rowBytes + parserLookAheadBytes ? this.#tooLarge(this.#openQuote(parsed)) : undefined;
  }

  /**
   * Converts an error of the parser to a problem.
   *
   * @param parsed number of bytes from the parser's first one to the end of the last cell
   */
  problem(error: Error, parsed: number): Error {
    const code = csvFault(error);
    if (code === undefined) return error;
    if (code === "ROW_TOO_LARGE") return this.#tooLarge(this.#openQuote(parsed), error);
    const column = "column" in error && typeof error.column === "number" ? error.column + 1 : undefined;
    const location = { row: this.#rowNumber(), line: this.#cell(parsed).line, column };
    const what =
      code === "QUOTE_NOT_CLOSED"
        ? `column ${column} begins with a quote that is never closed.`
        : `column ${column} has a quote in an invalid position. Put the cell in quotes and write the quote twice.`;
    return csvProblem(code, location, what, error);
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
    const location = { row: this.#rowNumber(), line: this.#line };
    return csvProblem("ROW_TOO_LARGE", location, `the row is longer than ${this.#rowBytes} bytes.${hint}`, cause);
  }

  #openQuote(parsed: number): string {
    const { start, line } = this.#cell(parsed);
    return this.#text[start] === quote ? ` A quote in line ${line} is not closed.` : "";
  }

  /** The unfinished cell: its index in `#text`, and its line. */
  #cell(parsed: number): { readonly start: number; readonly line: number } {
    this.#skipBlankLines();
    const before = parsed - this.#dropped;
    // True if the last finished cell belongs to the row before, or if an empty first cell ended where its row begins.
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
      // After a carriage return at the end of the text, a line feed may follow in the next bytes.
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

/** Why reading CSV must stop. */
type CsvFault = "BAD_QUOTE" | "QUOTE_NOT_CLOSED" | "ROW_TOO_LARGE";

/** Where the fault is. */
interface CsvLocation {
  /** `undefined` for the header. */
  readonly row: number | undefined;
  readonly line: number;
  /** The first column is 1. */
  readonly column?: number | undefined;
}

const faults: Readonly<Record<string, CsvFault>> = {
  INVALID_OPENING_QUOTE: "BAD_QUOTE",
  CSV_INVALID_CLOSING_QUOTE: "BAD_QUOTE",
  CSV_QUOTE_NOT_CLOSED: "QUOTE_NOT_CLOSED",
  CSV_MAX_RECORD_SIZE: "ROW_TOO_LARGE",
};

/** The fault that an error of the parser means; `undefined` for other errors. */
function csvFault(error: Error): CsvFault | undefined {
  return "code" in error && typeof error.code === "string" ? faults[error.code] : undefined;
}

/** The problem of a fault, with its location. */
function csvProblem(code: CsvFault, location: CsvLocation, what: string, cause?: unknown): ProblemError {
  const { row, line, column } = location;
  const detail = `${row === undefined ? "Header" : `Row ${row}`}, line ${line}: ${what}`;
  const extensions = { ...(row === undefined ? {} : { row }), line, ...(column === undefined ? {} : { column }) };
  return new ProblemError(code, detail, { extensions, cause });
}

/**
 * The indexes of cells that are `""` in the file; `undefined` if there are none.
 *
 * @param row the bytes of the row, without its line end
 * @param cells its parsed cells; the delimiter is one byte
 */
function findQuotedEmpty(row: Uint8Array, cells: readonly string[]): ReadonlySet<number> | undefined {
  if (!cells.includes("")) return undefined;
  const text = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString("utf8");
  const found = new Set<number>();
  let at = 0;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index] ?? "";
    const isQuoted = text[at] === '"';
    if (isQuoted && cell === "") found.add(index);
    at += cell.length + (isQuoted ? 2 + countQuotes(cell) : 0) + 1;
  }
  return found.size > 0 ? found : undefined;
}

/** The number of quotes in a cell; the file has each of them twice. */
function countQuotes(cell: string): number {
  let quotes = 0;
  for (let at = cell.indexOf('"'); at !== -1; at = cell.indexOf('"', at + 1)) quotes += 1;
  return quotes;
}
