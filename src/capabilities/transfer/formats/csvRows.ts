import type { Position, RowChunk } from "../rows.js";
import { CsvScanner } from "./csvScanner.js";
import { pieces } from "./pieces.js";
import type { ChunkSize } from "./rowChunks.js";

/** Limits of CSV; each value is still allowed. */
export interface CsvLimits {
  /** Bytes of a row in the file, without its line end. */
  readonly rowBytes: number;
  /** Columns of the header. Of a row with more cells, only the first ones are kept. */
  readonly columns: number;
}

/** Options of every CSV reader. */
export interface CsvOptions {
  /** One character of ASCII: `,`, `;`, `|` or a tab. */
  readonly delimiter: string;
  readonly limits: CsvLimits;
}

/** Options of `csvRows`. */
export interface CsvRowOptions extends CsvOptions, ChunkSize {
  /** Where `bytes` begin in the file: after the header, or after an earlier chunk. If its `row` is -1, the header is returned as row 0. */
  readonly from: Position;
  /** Whether the first row is the header; problems then say "Header" instead of a row number. */
  readonly isHeader?: boolean | undefined;
}

/**
 * Reads the rows of CSV in UTF-8, starting at `from`. CRLF, LF and CR end rows and may be mixed; blank lines are skipped, white space is kept.
 *
 * Rows before a fault are returned before the fault is thrown.
 *
 * @param bytes the file without its first `from.byte` bytes
 * @throws {RangeError} if the delimiter is not one character of ASCII
 * @throws {ProblemError} BAD_QUOTE, QUOTE_NOT_CLOSED, ROW_TOO_LARGE, with `row`, `line` and `column`; after them the start of the next row is unknown
 * @see RFC 4180 §2
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, options: CsvRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const scanner = new CsvScanner(options);
  for await (const piece of pieces(bytes)) {
    const fault = scanner.add(piece);
    yield* scanner.chunks[fault === undefined ? "take" : "flush"]();
    if (fault !== undefined) throw fault;
  }
  const fault = scanner.end();
  yield* scanner.chunks.flush();
  if (fault !== undefined) throw fault;
}
