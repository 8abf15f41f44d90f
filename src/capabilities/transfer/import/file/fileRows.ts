import { ByteCollector } from "../../../../ground/http/body/byteCollector.js";
import type { Limits } from "../../../../ground/limits/limits.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import { csvRows } from "../../formats/csvRows.js";
import { validatedArrayRows } from "../../formats/jsonArrayRows.js";
import { ndjsonRows } from "../../formats/ndjsonRows.js";
import type { ChunkSize } from "../../formats/rowChunks.js";
import { beginning, type Position, type RowChunk, type RowSource } from "../../rows.js";
import type { ImportFile } from "./importFile.js";

/** Options of `fileRows`. */
export interface FileReading {
  /** Returns the text of the file, starting at a byte offset. */
  read(from: number): Promise<AsyncIterable<Uint8Array>>;
  readonly delimiter: string;
  readonly limits: Limits;
  /** Rows to skip at the beginning. */
  readonly offset: number;
  /** Rows per chunk (default 1,000), or a function that is asked at each row. */
  readonly chunkRows?: ChunkSize["chunkRows"];
}

/** Every chunk is a transaction. Larger than a network buffer, so that a transaction has many rows even if they are wide. */
const chunkBytes = 524_288;

/**
 * Reads the rows of a file, starting at a position.
 *
 * @param from start position; `undefined` for the first row
 */
export async function* fileRows(file: ImportFile, from: Position | undefined, reading: FileReading): AsyncGenerator<RowChunk, void, undefined> {
  const begin = from ?? file.header?.next ?? beginning;
  const rows = file.format === "json" ? await arrayOf(begin, reading) : rowsFrom(file, begin, await reading.read(begin.byte), reading);
  yield* rowsAfter(rows, Math.max(begin.row, reading.offset));
}

function rowsFrom(
  { format }: ImportFile,
  from: Position,
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, limits, chunkRows }: FileReading,
): RowSource {
  if (format === "csv") {
    return csvRows(bytes, { delimiter, from, chunkRows, chunkBytes, limits: { rowBytes: limits.importRowBytes, columns: limits.importColumns } });
  }
  return ndjsonRows(bytes, { from, chunkRows, chunkBytes, limits: jsonRowLimits(limits) });
}

/** The array was validated when the file was received. */
async function arrayOf(from: Position, { read, limits, chunkRows }: FileReading): Promise<RowSource> {
  const collector = new ByteCollector();
  for await (const chunk of await read(0)) collector.add(chunk);
  return validatedArrayRows(collector.bytes(), { from, chunkRows, chunkBytes, limits: jsonRowLimits(limits) });
}

/** Skips rows up to this number: an array is always read from its beginning. */
async function* rowsAfter(chunks: RowSource, done: number): AsyncGenerator<RowChunk, void, undefined> {
  for await (const { rows, next } of chunks) {
    const left = (rows[0]?.row ?? 0) > done ? rows : rows.filter(({ row }) => row > done);
    if (left.length > 0) yield { rows: left, next };
  }
}

/** The limits of one row of JSON. */
export function jsonRowLimits({ importRowBytes, jsonDepth, jsonMembers, jsonValues }: Limits) {
  return { rowBytes: importRowBytes, depth: jsonDepth, members: jsonMembers, values: jsonValues };
}

/** The problem of a JSON array that is too large to hold in memory. */
export function arrayTooLarge(maximum: number): ProblemError {
  const detail = `A JSON array is held in memory and may have ${maximum} bytes; send the rows as JSON Lines (application/x-ndjson) instead.`;
  return new ProblemError("IMPORT_TOO_LARGE", detail, { extensions: { maximum } });
}
