import type { Call, Collection, InsertManyOptions, NewRow, Row } from "../collection.js";
import { Unavailable } from "../errors.js";
import type { Outcome } from "../outcome.js";

/**
 * `insertMany` over a store that only inserts single rows: in order, so that a row may conflict with an earlier one of the batch. It merges no rows, because imports
 * find the rows to merge themselves.
 *
 * @internal
 */
export async function insertOneByOne(
  collection: Collection,
  rows: readonly NewRow[],
  { onConflict, operationIds, returning: _wholeRowsAnyway, ...call }: Call & InsertManyOptions,
): Promise<Outcome<Row>[]> {
  if (typeof onConflict === "object") throw new Error("This store has no insertMany, which merging rows needs.");
  const outcomes: Outcome<Row>[] = [];
  for (const [position, row] of rows.entries()) {
    try {
      outcomes.push(await collection.insert(row, { ...call, operationId: operationIds?.[position] }));
    } catch (error) {
      // Whatever became of this row, those before it may be there.
      throw position > 0 && error instanceof Unavailable ? new Unavailable(error.message, { cause: error }) : error;
    }
  }
  return outcomes;
}
