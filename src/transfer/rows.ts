import type { ProblemCode } from "../problem/index.js";

/** The formats of files. JSON Lines is NDJSON under another media type. */
export type TransferFormat = "csv" | "ndjson" | "json";

/** Why a row cannot be taken. */
export interface RowFault {
  readonly code: ProblemCode;
  readonly detail: string;
  /** The column or member, with dots where it is nested: `address.city`. */
  readonly field?: string | undefined;
}

/** A position between two rows of a file, in its UTF-8 text without a byte-order mark. */
export interface Position {
  /** Rows before it; a header and blank lines are no rows. */
  readonly row: number;
  /** Line that the next row begins in or after, the first being 1. */
  readonly line: number;
  /** Bytes before it. */
  readonly byte: number;
}

/** A row of a file, as it was read. */
export interface SourceRow {
  /** The first one, behind the header, is 1. */
  readonly row: number;
  /** Line that it begins in, the first of the file being 1. */
  readonly line: number;
  /** Of CSV: its cells, as many as stand there. */
  readonly cells?: readonly string[] | undefined;
  /** Of CSV: the places of cells that are empty, but in quotes; `undefined` where there are none. */
  readonly quotedEmpty?: ReadonlySet<number> | undefined;
  /** Of JSON: a plain object. */
  readonly value?: Readonly<Record<string, unknown>> | undefined;
  /** Of JSON that is no object, or none at all: the beginning of its text, at most 1,000 characters. */
  readonly text?: string | undefined;
  /** Why it is not usable: ROW_NOT_OBJECT, ROW_TOO_LARGE, MALFORMED_JSON. The width of CSV is for whoever knows the header to judge. */
  readonly fault?: RowFault | undefined;
}

/** Rows that stand next to each other. */
export interface RowChunk {
  readonly rows: readonly SourceRow[];
  /** Where the row behind the last one begins; reading can go on there. A JSON array is read again up to it. */
  readonly next: Position;
}

/** The rows of a file. A file that cannot be read to its end throws a `ProblemError` of a fatal code, whose message names the line. */
export type RowSource = AsyncIterable<RowChunk>;

/** Where the rows of a file begin that has no header. */
export const beginning: Position = { row: 0, line: 1, byte: 0 };
