import { ByteCollector } from "../http/byteCollector.js";
import type { Limits } from "../limits/limits.js";
import { ProblemError } from "../problem/index.js";
import { csvRows } from "./formats/csvRows.js";
import { jsonArrayRows } from "./formats/jsonArrayRows.js";
import { ndjsonRows } from "./formats/ndjsonRows.js";
import type { ImportFile } from "./importFile.js";
import { beginning, type Position, type RowChunk, type RowSource } from "./rows.js";

/** Where the rows of a file are read from, and how many at a time. */
export interface FileReading {
  /** The text of the file from a byte on. */
  read(from: number): Promise<AsyncIterable<Uint8Array>>;
  readonly delimiter: string;
  readonly limits: Limits;
  /** Rows to pass over at the beginning. */
  readonly offset: number;
  /** Rows of a chunk, where they are not the usual number. */
  readonly chunkRows?: number | undefined;
}

/** A chunk is a transaction: of wide rows there should be more in it than a buffer of the network has room for. */
const chunkBytes = 524_288;

/**
 * The rows of a file, from a position on.
 *
 * @param from where rows begin; `undefined` for the first one
 */
export async function* fileRows(file: ImportFile, from: Position | undefined, reading: FileReading): AsyncGenerator<RowChunk, void, undefined> {
  const begin = from ?? file.header?.next ?? beginning;
  const rows = file.format === "json" ? await arrayOf(begin, reading) : rowsFrom(file, begin, await reading.read(begin.byte), reading);
  yield* rowsBehind(rows, Math.max(begin.row, reading.offset));
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

async function arrayOf(from: Position, { read, limits, chunkRows }: FileReading): Promise<RowSource> {
  const collector = new ByteCollector();
  for await (const chunk of await read(0)) collector.add(chunk);
  return jsonArrayRows(collector.bytes(), { from, chunkRows, chunkBytes, limits: jsonRowLimits(limits) });
}

/** What was done before, or is not wanted, is passed over: an array is always read as a whole. */
async function* rowsBehind(chunks: RowSource, done: number): AsyncGenerator<RowChunk, void, undefined> {
  for await (const { rows, next } of chunks) {
    const left = (rows[0]?.row ?? 0) > done ? rows : rows.filter(({ row }) => row > done);
    if (left.length > 0) yield { rows: left, next };
  }
}

/** What one row of JSON may be. */
export function jsonRowLimits({ importRowBytes, jsonDepth, jsonMembers, jsonValues }: Limits) {
  return { rowBytes: importRowBytes, depth: jsonDepth, members: jsonMembers, values: jsonValues };
}

/** What is said of a JSON array that is more than memory is kept for. */
export function arrayTooLarge(maximum: number): ProblemError {
  const detail = `A JSON array is held in memory and may have ${maximum} bytes; send the rows as JSON Lines (application/x-ndjson) instead.`;
  return new ProblemError("IMPORT_TOO_LARGE", detail, { extensions: { maximum } });
}
