import type { ProblemCode } from "../../ground/problem/index.js";

/** The formats of files. JSON Lines is NDJSON under another media type. */
export type TransferFormat = "csv" | "ndjson" | "json";

/** Why a row cannot be imported. */
export interface RowFault {
  readonly code: ProblemCode;
  readonly detail: string;
  /** The column or member; nested ones have dots: `address.city`. */
  readonly field?: string | undefined;
}

/** A position between two rows of a file, in its UTF-8 text without the byte-order mark. */
export interface Position {
  /** Rows before it; the header and blank lines do not count. */
  readonly row: number;
  /** The next row begins in this line or a later one. The first line is 1. */
  readonly line: number;
  /** Bytes before it. */
  readonly byte: number;
}

/** A row of a file, before it is validated. */
export interface SourceRow {
  /** Row number; the first row after the header is 1. */
  readonly row: number;
  /** Line that it begins in; the first line of the file is 1. */
  readonly line: number;
  /** Of CSV: its cells; their number may differ from that of the header. */
  readonly cells?: readonly string[] | undefined;
  /** Of CSV: the number of cells in the file, if `cells` has only the first ones, one more than the limit of columns. */
  readonly width?: number | undefined;
  /** Of CSV: the indexes of cells that are `""` in the file; `undefined` if there are none. */
  readonly quotedEmpty?: ReadonlySet<number> | undefined;
  /** Of JSON: a plain object. */
  readonly value?: Readonly<Record<string, unknown>> | undefined;
  /** If the row is not a JSON object: the beginning of its text, at most 1,000 characters. */
  readonly text?: string | undefined;
  /** Why the row is not usable: ROW_NOT_OBJECT, ROW_TOO_LARGE, MALFORMED_JSON. The number of CSV cells is not checked here, as it depends on the header. */
  readonly fault?: RowFault | undefined;
}

/** Consecutive rows. */
export interface RowChunk {
  readonly rows: readonly SourceRow[];
  /** Position after the last row; reading can continue there. Of a JSON array, the text before it is read again. */
  readonly next: Position;
}

/** The rows of a file. If the file cannot be read to its end, iteration throws a `ProblemError` with a fatal code; its message names the line. */
export type RowSource = AsyncIterable<RowChunk>;

/** The first position of a file without a header. */
export const beginning: Position = { row: 0, line: 1, byte: 0 };
