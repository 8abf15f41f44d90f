import { RowsOver } from "../storage/rowsOver.js";

/** A base for rows whose writes have rules: only the store knows which rows a write by filter changes, so that such rows are written by their ids. */
export abstract class RowsById extends RowsOver {
  override updateMany(): Promise<number> {
    return refused();
  }

  override removeMany(): Promise<number> {
    return refused();
  }
}

async function refused(): Promise<never> {
  throw new Error("Rows with rules are written by their ids.");
}
