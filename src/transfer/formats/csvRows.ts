import type { Parser } from "csv-parse";
import type { Position, RowChunk } from "../rows.js";
import { CsvReading } from "./csvReading.js";
import { pieces } from "./pieces.js";
import type { ChunkSize } from "./rowChunks.js";

/** Limits of CSV; each value is still allowed. */
export interface CsvLimits {
  /** Bytes of a row in the file, without its line end. */
  readonly rowBytes: number;
  /** Columns of the header. */
  readonly columns: number;
}

/** Options of every CSV reader. */
export interface CsvOptions {
  /** `,`, `;`, `|` or a tab. */
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
 * @throws {ProblemError} BAD_QUOTE, QUOTE_NOT_CLOSED, ROW_TOO_LARGE, with `row`, `line` and `column`; after them the start of the next row is unknown
 * @see RFC 4180 §2
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, options: CsvRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const { Parser } = await import("csv-parse");
  const reading = new CsvReading(options);
  const parser = new Parser({
    delimiter: options.delimiter,
    // By default the parser accepts only the kind of line end that it finds first.
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: options.limits.rowBytes,
    on_record: (cells: string[], { bytes: end }) => {
      reading.add(cells, end);
      return undefined;
    },
  });
  // The callbacks of write and end get the same error.
  parser.on("error", () => {});
  try {
    for await (const piece of pieces(bytes)) {
      reading.open(piece);
      const fault = (await write(parser, piece)) ?? reading.dropParsed(parser.info.bytes);
      if (fault !== undefined) {
        yield* reading.chunks.flush();
        throw reading.problem(fault, parser.info.bytes);
      }
      yield* reading.chunks.take();
    }
    const fault = await end(parser);
    yield* reading.chunks.flush();
    if (fault !== undefined) throw reading.problem(fault, parser.info.bytes);
  } finally {
    parser.destroy();
  }
}

function write(parser: Parser, piece: Uint8Array): Promise<Error | undefined> {
  return new Promise((resolve) => parser.write(piece, (error) => resolve(error ?? undefined)));
}

function end(parser: Parser): Promise<Error | undefined> {
  return new Promise((resolve) => {
    parser.end((error?: Error | null) => resolve(error ?? undefined));
  });
}
