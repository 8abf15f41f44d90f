import type { Call, Collection } from "../../../../ground/storage/collection.js";
import { idsQuery } from "../../../../ground/storage/filterParts.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";

/**
 * Locks rows until the transaction ends. Rows are always locked in the order of their ids, so that two batches with the same rows cannot
 * deadlock.
 *
 * @param rows the rows of the transaction
 */
export async function lockRows(rows: Pick<Collection, "find">, idName: string, ids: readonly Id[], { budgetMs: _, ...call }: Call): Promise<void> {
  const values = [...new Set(ids)];
  if (values.length < 2) return;
  // The time budget of reads does not apply: this read waits for other transactions.
  await rows.find(idsQuery(idName, values, undefined, "update"), call);
}
