import type { Position, RowChunk } from "../rows.js";
import type { JsonRowLimits } from "./jsonRow.js";
import { NdjsonReading } from "./ndjsonReading.js";
import { pieces } from "./pieces.js";
import type { ChunkSize } from "./rowChunks.js";

/** Options of `ndjsonRows` and `jsonArrayRows`. */
export interface JsonRowOptions extends ChunkSize {
  /** Where reading begins: the beginning of the file, or after an earlier chunk. */
  readonly from: Position;
  readonly limits: JsonRowLimits;
}

/**
 * Reads the rows of NDJSON in UTF-8, starting at `from`. LF or CRLF end a line; blank lines are skipped. An invalid line becomes a row with a fault, and
 * reading continues.
 *
 * @param bytes the file without its first `from.byte` bytes
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
