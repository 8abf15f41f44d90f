import type { TransferFormat } from "./rows.js";

/** What happens when a row fails: `continue` leaves it out, `stop` imports no row at all. */
export type ErrorStrategy = "continue" | "stop";

/** `insert` adds rows, `upsert` adds rows and changes existing ones, `update` only changes existing ones. */
export type ImportMode = "insert" | "upsert" | "update";

/** How a file is to be imported. */
export interface ImportSettings {
  readonly format: TransferFormat;
  readonly onError: ErrorStrategy;
  /** More failed rows end the import. */
  readonly maxErrors: number;
  readonly mode: ImportMode;
  /** Name of the field by which existing rows are found; `undefined` in mode `insert`. */
  readonly key: string | undefined;
  /** Validate everything, write nothing. */
  readonly dryRun: boolean;
  /** Column or member name of the file → field name. */
  readonly map: Readonly<Record<string, string>>;
  /** What happens to columns, and members of JSON rows, that cannot be imported. */
  readonly unknownColumns: "error" | "ignore";
  readonly delimiter: string;
  /** Rows to skip at the beginning. */
  readonly offset: number;
  /** Do not write rows that would change nothing. */
  readonly skipUnchanged: boolean;
  /** `escaped` removes one apostrophe before a formula. */
  readonly formulas: "literal" | "escaped";
}
