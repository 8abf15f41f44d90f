/** A column of a CSV file: its name in the header, and the path of its value in a row. */
export interface CsvColumn {
  readonly name: string;
  readonly path: readonly string[];
}

/** Writes rows as the text of a file. Rows are JSON values as clients see them. */
export interface RowEncoder {
  /** Media type with its parameters: `text/csv; charset=utf-8`. */
  readonly contentType: string;
  /** Extension of the file name, without a dot: `csv`. */
  readonly extension: string;
  /** The text before the first row. */
  begin(): string;
  /** The text of the next rows. */
  encode(rows: readonly Readonly<Record<string, unknown>>[]): string;
  /** The text after the last row. */
  end(): string;
}
