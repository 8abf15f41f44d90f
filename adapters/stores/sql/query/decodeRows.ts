import { turnIsOver, yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import type { Row } from "../../../../src/ground/storage/collection.js";
import type { SqlRow } from "../engine/executor.js";
import { decodeColumns } from "../schema/decodeColumns.js";
import type { TableColumn } from "../schema/table.js";

/** Decoding never yields before this time, however long the current turn of the event loop is: most calls end sooner. */
const quickMs = 2;

/** Decodes the given columns of stored rows. Yields to the event loop when there are many values or long JSON. */
export async function decodeRows(columns: readonly TableColumn[], stored: readonly SqlRow[]): Promise<Row[]> {
  const rows: Row[] = [];
  let startedAt = performance.now();
  for (const each of stored) {
    rows.push(decodeColumns(columns, each));
    if (performance.now() - startedAt < quickMs || !turnIsOver()) continue;
    await yieldToEventLoop();
    startedAt = performance.now();
  }
  return rows;
}
