import type { JobEntry } from "../storage/jobs.js";
import { unescapeFormula } from "./formats/formula.js";
import type { FailedRow } from "./rowResult.js";
import type { RowFault, SourceRow } from "./rows.js";
import type { ImportSettings } from "./settings.js";

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

/** The columns that failed rows are written down in, as their job keeps them: in front of all rows. */
export interface ImportColumns {
  /** Names, as the file has them. */
  readonly columns: readonly string[];
  /** Of JSON: the fields that they mean, at the same places. */
  readonly fields?: readonly string[] | undefined;
  readonly delimiter: string;
}

export function columnsEntry(value: ImportColumns): JobEntry {
  return { position: 0, value };
}

/**
 * The columns of an import's report: those of its CSV, or of the fields that its JSON may set, under the names that these have there.
 *
 * @param header of CSV
 * @param fields names of those that may be set
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

/** Of a row that fails many times over, as many are told. */
const maximumFaults = 20;
/** A row that is longer is not kept: thousands of them would be more than a job can hold. */
const longestRow = 65_536;

export function importEntry({ row, faults }: FailedRow, { formulas }: Pick<ImportSettings, "formulas">): JobEntry {
  // The report protects its readers itself.
  const undo = formulas === "escaped" ? unescapeFormula : asItIs;
  const entry: ImportEntry = { line: row.line, faults: faults.slice(0, maximumFaults), ...contentOf(row, undo) };
  return { position: row.row, value: entry };
}

function contentOf({ cells, quotedEmpty, value, text }: SourceRow, undo: (cell: string) => string): Pick<ImportEntry, "cells" | "value" | "text"> {
  if (cells !== undefined) {
    if (cells.reduce((sum, cell) => sum + cell.length, 0) > longestRow) return {};
    return { cells: cells.map((cell, index) => (cell === "" && quotedEmpty?.has(index) !== true ? null : undo(cell))) };
  }
  if (value !== undefined) return JSON.stringify(value).length > longestRow ? {} : { value };
  return text === undefined ? {} : { text };
}
