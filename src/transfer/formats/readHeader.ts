import { ProblemError } from "../../problem/index.js";
import { beginning, type Position } from "../rows.js";
import { type CsvOptions, csvRows } from "./csvRows.js";

/** The header of a file of CSV. */
export interface CsvHeader {
  /** Of its columns, without white space around them; also those that are empty or there twice. */
  readonly names: readonly string[];
  /** Where the rows begin. */
  readonly next: Position;
}

/**
 * Reads the first row of a file of CSV in UTF-8, and no more than needed.
 *
 * @param bytes The file, from its beginning.
 * @throws {ProblemError} EMPTY_FILE where there is none; UNKNOWN_COLUMN, with `maximum`, for too many columns; what {@link csvRows} throws
 */
export async function readHeader(bytes: AsyncIterable<Uint8Array>, options: CsvOptions): Promise<CsvHeader> {
  const { delimiter, limits } = options;
  for await (const { rows, next } of csvRows(bytes, { delimiter, limits, from: beginning, isHeader: true, chunkRows: 1 })) {
    const cells = rows[0]?.cells ?? [];
    if (cells.length > limits.columns) throw tooManyColumns(cells.length, limits.columns);
    return { names: cells.map((cell) => cell.trim()), next: { ...next, row: 0 } };
  }
  throw new ProblemError("EMPTY_FILE", "The file is empty; a file of CSV begins with a header.");
}

function tooManyColumns(columns: number, maximum: number): ProblemError {
  return new ProblemError("UNKNOWN_COLUMN", `The header has ${columns} columns; allowed are ${maximum}.`, { extensions: { maximum } });
}
