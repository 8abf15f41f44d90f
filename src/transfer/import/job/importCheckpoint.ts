import type { JobAdvance } from "../../../storage/jobs.js";
import type { Position } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { FailedRow, ImportCounts } from "../write/rowResult.js";
import { importEntry } from "./importEntry.js";

/** The position of an import, stored as JSON in the cursor of its job. */
export interface ImportCursor extends Position {
  /** With `onError=stop`: the rows before the position are validated, but not imported. */
  readonly isChecked?: true | undefined;
  /** All rows are done; only the job has not ended. */
  readonly isDone?: true | undefined;
  /** So many rows are still to be imported one by one, because workers crashed here and one of these rows may be the cause. */
  readonly careful?: number | undefined;
  /** How often the next row was started by itself. */
  readonly begun?: number | undefined;
  /** Failed rows that no longer count towards `maxErrors`, because the import was resumed after it had too many. */
  readonly forgiven?: number | undefined;
}

export function readCursor(cursor: unknown): ImportCursor | undefined {
  return cursor === null || cursor === undefined ? undefined : (cursor as ImportCursor);
}

/** The state of an import that is recorded in its job. */
export interface ImportCheckpoint {
  readonly cursor: ImportCursor;
  readonly counts: ImportCounts;
  /** The failed rows since the last checkpoint. */
  readonly failed: readonly FailedRow[];
}

/** Converts a checkpoint to what the job stores. @param start position of the first row of the file */
export function importAdvance(
  { cursor, counts, failed }: ImportCheckpoint,
  settings: Pick<ImportSettings, "offset" | "dryRun" | "formulas">,
  start: Position,
  total: number | null,
): JobAdvance {
  // While rows are only validated none is imported: a client that continues with another file must begin at the first row.
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

/** The counts of a job that tell where it can be resumed, and whether it is a dry run. */
export function positionCounts(
  { offset, dryRun }: Pick<ImportSettings, "offset" | "dryRun">,
  { row, byte }: Position,
): Readonly<Record<string, number>> {
  return { row: Math.max(row, offset), byte, ...(dryRun ? { dryRun: 1 } : {}) };
}
