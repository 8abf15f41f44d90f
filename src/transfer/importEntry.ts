import type { JobEntry } from "../storage/jobs.js";
import type { FailedRow } from "./rowResult.js";
import type { RowFault, SourceRow } from "./rows.js";

/** A row that failed, as its job keeps it: enough to write it down again. */
export interface ImportEntry {
  readonly line: number;
  readonly faults: readonly RowFault[];
  /** Of CSV; `null` stands for a cell that is empty and not in quotes. */
  readonly cells?: readonly (string | null)[] | undefined;
  /** Of JSON. */
  readonly value?: unknown;
  /** Of what is no JSON object. */
  readonly text?: string | undefined;
}

/** The names of the columns that the cells of an import's failed rows stand in, as its job keeps them: in front of all rows. */
export interface ImportColumns {
  readonly columns: readonly string[];
}

export function columnsEntry(columns: readonly string[]): JobEntry {
  const value: ImportColumns = { columns };
  return { position: 0, value };
}

/** Of a row that fails many times over, as many are told. */
const maximumFaults = 20;
/** A row that is longer is not kept: thousands of them would be more than a job can hold. */
const longestRow = 65_536;

export function importEntry({ row, faults }: FailedRow): JobEntry {
  const entry: ImportEntry = { line: row.line, faults: faults.slice(0, maximumFaults), ...contentOf(row) };
  return { position: row.row, value: entry };
}

function contentOf({ cells, quotedEmpty, value, text }: SourceRow): Pick<ImportEntry, "cells" | "value" | "text"> {
  if (cells !== undefined) {
    if (cells.reduce((sum, cell) => sum + cell.length, 0) > longestRow) return {};
    return { cells: cells.map((cell, index) => (cell === "" && quotedEmpty?.has(index) !== true ? null : cell)) };
  }
  if (value !== undefined) return JSON.stringify(value).length > longestRow ? {} : { value };
  return text === undefined ? {} : { text };
}
