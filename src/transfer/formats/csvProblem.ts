import { ProblemError } from "../../problem/index.js";

/** Why CSV cannot be read on. */
export type CsvFault = "BAD_QUOTE" | "QUOTE_NOT_CLOSED" | "ROW_TOO_LARGE";

/** Where. */
export interface CsvPlace {
  /** `undefined`: the header. */
  readonly row: number | undefined;
  readonly line: number;
  /** The first one is 1. */
  readonly column?: number | undefined;
}

const faults: Readonly<Record<string, CsvFault>> = {
  INVALID_OPENING_QUOTE: "BAD_QUOTE",
  CSV_INVALID_CLOSING_QUOTE: "BAD_QUOTE",
  CSV_QUOTE_NOT_CLOSED: "QUOTE_NOT_CLOSED",
  CSV_MAX_RECORD_SIZE: "ROW_TOO_LARGE",
};

/** What an error of the parser means; `undefined` where it is none of its own. */
export function csvFault(error: Error): CsvFault | undefined {
  return "code" in error && typeof error.code === "string" ? faults[error.code] : undefined;
}

/** A problem that says where in a file of CSV which fault is. */
export function csvProblem(code: CsvFault, place: CsvPlace, what: string, cause?: unknown): ProblemError {
  const { row, line, column } = place;
  const detail = `${row === undefined ? "Header" : `Row ${row}`}, line ${line}: ${what}`;
  const extensions = { ...(row === undefined ? {} : { row }), line, ...(column === undefined ? {} : { column }) };
  return new ProblemError(code, detail, { extensions, cause });
}
