import type { RowPatch } from "../../src/storage/collection.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Id } from "../../src/storage/scalar.js";
import { OverlayPartition } from "./overlay.js";
import type { Partition } from "./partition.js";
import { matchingRows } from "./select.js";
import type { Table } from "./table.js";
import { updateRow } from "./write.js";

/**
 * Updates every row that the filter means, or none.
 *
 * @throws {Error} when the patch would give two rows the same unique key.
 */
export function changeMatching(table: Table, partition: Partition, filter: Filter | undefined, patch: RowPatch): number {
  const ids = matchingIds(table, partition, filter);
  const overlay = new OverlayPartition(partition);
  for (const id of ids) {
    const outcome = updateRow(overlay, id, patch, {});
    if (outcome.ok || outcome.why !== "conflict") continue;
    throw new Error(`Cannot set ${outcome.fields.join(", ")} of many rows of "${table.model.name}" to one value: it is a unique key.`);
  }
  overlay.applyTo(partition);
  return ids.length;
}

/** Removes every row that the filter means. */
export function removeMatching(table: Table, partition: Partition, filter: Filter | undefined): number {
  const ids = matchingIds(table, partition, filter);
  for (const id of ids) partition.delete(id);
  return ids.length;
}

function matchingIds(table: Table, partition: Partition, filter: Filter | undefined): Id[] {
  return matchingRows(partition, filter, table.model.searchable).map((row) => row[table.model.id] as Id);
}
