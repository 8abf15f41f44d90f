import { ProblemError } from "../../../ground/problem/index.js";
import { beginning, type Position, type SourceRow } from "../rows.js";
import { type CsvOptions, csvRows } from "./csvRows.js";

/** The header of a CSV file. */
export interface CsvHeader {
  /** The names of all columns, without white space around them, including empty and repeated names. */
  readonly names: readonly string[];
  /** Position of the first row. */
  readonly next: Position;
}

/**
 * Reads the header of a CSV file in UTF-8, and no more bytes than needed.
 *
 * @param bytes the file from its beginning
 * @throws {ProblemError} EMPTY_FILE; UNKNOWN_COLUMN, with `maximum`, for too many columns; the errors of {@link csvRows}
 */
export async function readHeader(bytes: AsyncIterable<Uint8Array>, options: CsvOptions): Promise<CsvHeader> {
  const { delimiter, limits } = options;
  for await (const { rows, next } of csvRows(bytes, { delimiter, limits, from: beginning, isHeader: true, chunkRows: 1 })) {
    return { names: columnNames(rows[0], limits), next: { ...next, row: 0 } };
  }
  throw new ProblemError("EMPTY_FILE", "The file is empty; a CSV file must begin with a header.");
}

/** The names of the columns, without white space around them. @throws {ProblemError} UNKNOWN_COLUMN, with `maximum`, for too many columns */
export function columnNames({ cells = [], width = cells.length }: Partial<SourceRow> = {}, { columns: maximum }: CsvOptions["limits"]): string[] {
  if (width <= maximum) return cells.map((cell) => cell.trim());
  throw new ProblemError("UNKNOWN_COLUMN", `The header has ${width} columns; at most ${maximum} are allowed.`, { extensions: { maximum } });
}
