import type { TransferFormat } from "./rows.js";

/** How rows that cannot be taken are dealt with: each left out, or none imported at all. */
export type ErrorStrategy = "continue" | "stop";

/** Whether rows are added, those that are there changed as well, or only those. */
export type ImportMode = "insert" | "upsert" | "update";

/** How a file is to be imported. */
export interface ImportSettings {
  readonly format: TransferFormat;
  readonly onError: ErrorStrategy;
  /** More failed rows end the import. */
  readonly maxErrors: number;
  readonly mode: ImportMode;
  /** Name of the field that says which row is meant; `undefined` where rows are only added. */
  readonly key: string | undefined;
  /** Everything is judged, and nothing kept. */
  readonly dryRun: boolean;
  /** Fields by the names that the file has for them. */
  readonly map: Readonly<Record<string, string>>;
  /** Columns, and members of JSON rows, that cannot be imported. */
  readonly unknownColumns: "error" | "ignore";
  readonly delimiter: string;
  /** Rows to pass over at the beginning. */
  readonly offset: number;
  /** Rows that would change nothing are left alone. */
  readonly skipUnchanged: boolean;
  /** Whether one apostrophe in front of a formula is taken away. */
  readonly formulas: "literal" | "escaped";
}
