import type { Position } from "./rows.js";

/** Where an import stands. It is JSON. */
export interface ImportCursor extends Position {
  /** Rows before it have been judged, not imported: all or none will be. */
  readonly isChecked?: true | undefined;
  /** All is done but the end of the job. */
  readonly isDone?: true | undefined;
  /** So many rows are still to be imported one by one: workers died here, and one of them may be why. */
  readonly careful?: number | undefined;
  /** How often the next row was begun by itself; absent where it was not. */
  readonly begun?: number | undefined;
  /** Failed rows that an import which had too many has been let off. */
  readonly forgiven?: number | undefined;
}

export function readCursor(cursor: unknown): ImportCursor | undefined {
  return cursor === null || cursor === undefined ? undefined : (cursor as ImportCursor);
}
