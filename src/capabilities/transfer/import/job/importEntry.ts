import type { JobEntry } from "../../../../ground/storage/queue/jobs.js";
import { unescapeFormula } from "../../../../language/csv/formula.js";
import type { RowFault, SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { FailedRow } from "../write/rowResult.js";

/** A failed row as the job stores it: everything that the error report needs. */
export interface ImportEntry {
  readonly line: number;
  readonly faults: readonly RowFault[];
  /** Of CSV; `null` is an empty cell without quotes. */
  readonly cells?: readonly (string | null)[] | undefined;
  /** Of JSON. */
  readonly value?: unknown;
  /** The beginning of a row that is not a JSON object. */
  readonly text?: string | undefined;
}

/** The columns of the error report, as the job stores them before all rows. */
export interface ImportColumns {
  /** Names as in the file. */
  readonly columns: readonly string[];
  /** Of JSON: the fields of these columns, at the same indexes. */
  readonly fields?: readonly string[] | undefined;
  readonly delimiter: string;
}

export function columnsEntry(value: ImportColumns): JobEntry {
  return { position: 0, value };
}

/**
 * The columns of the error report: those of the CSV file, or for JSON those of the settable fields, under their names in the file.
 *
 * @param header the names of the CSV columns
 * @param fields the names of the settable fields
 */
export function importColumns(
  { map, formulas, delimiter }: Pick<ImportSettings, "map" | "formulas" | "delimiter">,
  header: readonly string[] | undefined,
  fields: readonly string[],
): ImportColumns {
  if (header !== undefined) return { columns: header.map(formulas === "escaped" ? unescapeFormula : asItIs), delimiter };
  const names = new Map(Object.entries(map).map(([given, name]) => [name, given]));
  return { columns: fields.map((name) => names.get(name) ?? name), fields, delimiter };
}

const asItIs = (cell: string) => cell;

/** So many faults of one row are stored. */
const maxFaults = 20;
/** Characters of a row. Of longer rows only the faults are stored, since a job may have thousands of failed rows. */
const maxRowLength = 65_536;

export function importEntry({ row, faults }: FailedRow, { formulas }: Pick<ImportSettings, "formulas">): JobEntry {
  // The error report escapes formulas itself.
  const undo = formulas === "escaped" ? unescapeFormula : asItIs;
  const entry: ImportEntry = { line: row.line, faults: faults.slice(0, maxFaults), ...contentOf(row, undo) };
  return { position: row.row, value: entry };
}

function contentOf(
  { cells, width, quotedEmpty, value, text }: SourceRow,
  undo: (cell: string) => string,
): Pick<ImportEntry, "cells" | "value" | "text"> {
  if (cells !== undefined) {
    // Empty cells take room as well: they are stored as null.
    if (width !== undefined || cells.reduce((sum, cell) => sum + cell.length, 5 * cells.length) > maxRowLength) return {};
    return { cells: cells.map((cell, index) => (cell === "" && quotedEmpty?.has(index) !== true ? null : undo(cell))) };
  }
  if (value !== undefined) return JSON.stringify(value).length > maxRowLength ? {} : { value };
  return text === undefined ? {} : { text };
}
