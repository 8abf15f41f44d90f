import type { Parser } from "csv-parse";
import type { Position, RowChunk } from "../rows.js";
import { CsvReading } from "./csvReading.js";
import { pieces } from "./pieces.js";
import type { ChunkSize } from "./rowChunks.js";
import type { CsvLimits } from "./rowLimits.js";

/** How CSV is read. */
export interface CsvOptions {
  /** `,`, `;`, `|` or a tab. */
  readonly delimiter: string;
  readonly limits: CsvLimits;
}

/** How the rows of CSV are read. */
export interface CsvRowOptions extends CsvOptions, ChunkSize {
  /** Where `bytes` begin in the file: behind the header, or behind a chunk that was read before. With -1 rows before, the header comes as row 0. */
  readonly from: Position;
  /** Whether the first row is the header: problems call it so. */
  readonly isHeader?: boolean | undefined;
}

/**
 * The rows of CSV in UTF-8, from `from` on. CRLF, LF and CR end rows, also mixed; blank lines are skipped, white space is kept.
 *
 * Rows before a fault are given before it is thrown.
 *
 * @param bytes The file without the `from.byte` bytes before.
 * @throws {ProblemError} BAD_QUOTE, QUOTE_NOT_CLOSED, ROW_TOO_LARGE, with `row`, `line` and `column`: nobody can tell where the next row begins
 * @see RFC 4180 §2
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, options: CsvRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const { Parser } = await import("csv-parse");
  const reading = new CsvReading(options);
  const parser = new Parser({
    delimiter: options.delimiter,
    // Left alone, the parser takes the first line end that it meets for the only one.
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: options.limits.rowBytes,
    on_record: (cells: string[], { bytes: end }) => {
      reading.add(cells, end);
      return undefined;
    },
  });
  // Whoever writes or ends is told as well.
  parser.on("error", () => {});
  try {
    for await (const piece of pieces(bytes)) {
      reading.open(piece);
      const fault = (await write(parser, piece)) ?? reading.settle(parser.info.bytes);
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
