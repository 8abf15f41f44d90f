import { ProblemError } from "../../../ground/problem/index.js";
import type { RowIds } from "../../../parts/idempotency/storedResponse.js";
import type { Context } from "../../operation/context.js";
import { hiddenRows } from "../../operation/rules/hiddenRows.js";

/**
 * Asks the scopes again before a stored answer is replayed.
 *
 * @throws {ProblemError} FORBIDDEN for a row that exists and that the principal may not read now, and if it may read none of a collection
 */
export async function requireReadable(context: Context, rows: RowIds): Promise<void> {
  for (const [collection, ids] of rows) {
    const hidden = await hiddenRows(context, collection, ids);
    if (hidden !== "all" && hidden.size === 0) continue;
    throw new ProblemError("FORBIDDEN", "The stored response shows rows that you may not read any more. The operation itself is done.");
  }
}
