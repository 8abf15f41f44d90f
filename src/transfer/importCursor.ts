import type { Position } from "./rows.js";

/** Where an import stands. It is JSON. */
export interface ImportCursor extends Position {
  /** Rows before it have been judged, not imported: all or none will be. */
  readonly isChecked?: true | undefined;
  /** All is done but the end of the job. */
  readonly isDone?: true | undefined;
  /** Failed rows that an import which had too many has been let off. */
  readonly forgiven?: number | undefined;
}

export function readCursor(cursor: unknown): ImportCursor | undefined {
  return cursor === null || cursor === undefined ? undefined : (cursor as ImportCursor);
}
