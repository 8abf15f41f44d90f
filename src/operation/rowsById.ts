import type { Row } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import { RowsOver } from "../storage/rowsOver.js";

/**
 * A base for rows whose writes have rules. Only the store knows which rows a write by filter changes, so that such rows are written by their ids; and an insert of
 * many rows must not pass the rules by.
 */
export abstract class RowsById extends RowsOver {
  override insertMany(..._: Partial<Parameters<RowsOver["insertMany"]>>): Promise<Outcome<Row>[]> {
    return refused();
  }

  override updateMany(): Promise<number> {
    return refused();
  }

  override removeMany(): Promise<number> {
    return refused();
  }
}

async function refused(): Promise<never> {
  throw new Error("Rows with rules are written by their ids; pass `bulk` to insert many.");
}
