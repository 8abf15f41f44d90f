/** A column of a CSV file: its name in the header, and where its value stands in a row. */
export interface CsvColumn {
  readonly name: string;
  readonly path: readonly string[];
}

/** Writes rows as the text of a file. Rows are JSON values as clients see them. */
export interface RowEncoder {
  /** With its parameters: `text/csv; charset=utf-8`. */
  readonly contentType: string;
  /** Of file names, without a dot: `csv`. */
  readonly extension: string;
  /** What stands before the first row. */
  begin(): string;
  /** Rows that follow those before. */
  encode(rows: readonly Readonly<Record<string, unknown>>[]): string;
  /** What stands behind the last row. */
  end(): string;
}
