import type { Position, RowChunk } from "../rows.js";
import { NdjsonReading } from "./ndjsonReading.js";
import { pieces } from "./pieces.js";
import type { ChunkSize } from "./rowChunks.js";
import type { JsonRowLimits } from "./rowLimits.js";

/** How rows of JSON are read. */
export interface JsonRowOptions extends ChunkSize {
  /** Where reading begins: the beginning of the file, or behind a chunk that was read before. */
  readonly from: Position;
  readonly limits: JsonRowLimits;
}

/**
 * The rows of NDJSON in UTF-8, from `from` on. LF or CRLF end a line; blank lines are skipped. A line that is no row has a fault, and the next one goes on.
 *
 * @param bytes The file without the `from.byte` bytes before.
 * @see https://github.com/ndjson/ndjson-spec, https://jsonlines.org
 */
export async function* ndjsonRows(bytes: AsyncIterable<Uint8Array>, options: JsonRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const reading = new NdjsonReading(options);
  for await (const piece of pieces(bytes)) {
    reading.add(piece);
    yield* reading.chunks.take();
  }
  reading.end();
  yield* reading.chunks.flush();
}
