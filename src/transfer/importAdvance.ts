import type { JobAdvance } from "../storage/jobs.js";
import type { ImportCursor } from "./importCursor.js";
import { importEntry } from "./importEntry.js";
import type { FailedRow, ImportCounts } from "./rowResult.js";
import type { Position } from "./rows.js";
import type { ImportSettings } from "./settings.js";

/** Where an import stands after something of it was done. */
export interface ImportStep {
  readonly cursor: ImportCursor;
  readonly counts: ImportCounts;
  /** Those since the last step. */
  readonly failed: readonly FailedRow[];
}

/** What its job keeps of a step. @param start where the rows of the file begin */
export function importAdvance(
  { cursor, counts, failed }: ImportStep,
  settings: Pick<ImportSettings, "offset" | "dryRun" | "formulas">,
  start: Position,
  total: number | null,
): JobAdvance {
  // Until all rows are imported none is: whoever goes on with another file begins where this one began.
  const position = cursor.isChecked && !cursor.isDone ? start : cursor;
  return {
    cursor,
    processed: counts.created + counts.updated + counts.skipped + counts.failed,
    total,
    counts: {
      ...counts,
      ...positionCounts(settings, position),
      ...(cursor.isChecked ? { checked: Math.max(0, cursor.row - settings.offset) } : {}),
    },
    entries: failed.map((each) => importEntry(each, settings)),
  };
}

/** What the counts of a job say of where it can go on, and of what it is. */
export function positionCounts(
  { offset, dryRun }: Pick<ImportSettings, "offset" | "dryRun">,
  { row, byte }: Position,
): Readonly<Record<string, number>> {
  return { row: Math.max(row, offset), byte, ...(dryRun ? { dryRun: 1 } : {}) };
}
