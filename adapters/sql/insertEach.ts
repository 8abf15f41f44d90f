import type { Row } from "../../src/storage/collection.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Entry } from "./entry.js";
import { type Merge, mergeHeld } from "./mergeRow.js";
import type { Session } from "./session.js";
import type { Table } from "./table.js";
import { insertOne } from "./write.js";

/** Inserts rows one by one, each merged before the next one is looked at. */
export async function insertEach(
  session: Session,
  table: Table,
  entries: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of entries) {
    const outcome = await insertOne(session, table, row, tenant, operationId);
    outcomes.push(await mergeHeld(session, table, row, tenant, merge, outcome));
  }
  return outcomes;
}
