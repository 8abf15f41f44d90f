import type { JobAdvance } from "../../../../ground/storage/queue/jobs.js";
import type { Position } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { FailedRow, ImportCounts } from "../write/rowResult.js";
import { importEntry } from "./importEntry.js";

/** A row that is tried again after others, because workers died while it was imported by itself. */
export interface PutOffRow extends Position {
  /** How many died when it was tried again. */
  readonly deaths?: number | undefined;
}

/** The position of an import, stored as JSON in the cursor of its job. */
export interface ImportCursor extends Position {
  /** With `onError=stop`: the rows before the position are validated, but not imported. */
  readonly isChecked?: true | undefined;
  /** All rows are done; only the job has not ended. */
  readonly isDone?: true | undefined;
  /** So many rows are still to be imported one by one, because workers died here and one of these rows may be the cause. */
  readonly careful?: number | undefined;
  /** Which row was started by itself and has not ended: the next one, or the first of those that were put off. */
  readonly begun?: "next" | "put off" | undefined;
  /** How many workers died while the next row was imported by itself. */
  readonly deaths?: number | undefined;
  /** Rows before the position that are still to be imported. */
  readonly putOff?: readonly PutOffRow[] | undefined;
  /** Failed rows that no longer count towards `maxErrors`, because the import was resumed after it had too many. */
  readonly forgiven?: number | undefined;
}

export function readCursor(cursor: unknown): ImportCursor | undefined {
  return cursor === null || cursor === undefined ? undefined : (cursor as ImportCursor);
}

/**
 * The cursor with what the end of the last attempt says about the row that it had started by itself.
 *
 * @param hasDied whether it ended before the row, other than by an orderly stop
 */
export function settled({ begun, ...cursor }: ImportCursor, hasDied: boolean): ImportCursor {
  if (begun === undefined || !hasDied) return cursor;
  if (begun === "next") return { ...cursor, deaths: (cursor.deaths ?? 0) + 1 };
  const [tried, ...others] = cursor.putOff ?? [];
  // The others have their turn first.
  return tried === undefined ? cursor : { ...cursor, putOff: [...others, { ...tried, deaths: (tried.deaths ?? 0) + 1 }] };
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
