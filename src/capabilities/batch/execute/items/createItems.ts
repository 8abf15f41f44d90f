import { type Context, writeCall } from "../../../../engine/operation/context.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import { retrying } from "../../../../engine/operation/work/retry.js";
import { needsTransaction, writableRows } from "../../../../engine/operation/write/writableRows.js";
import { withItem } from "../../../../engine/operation/write/writeMarks.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { duplicate, refusal } from "../../../../engine/resource/write/conflict.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { ItemResults } from "../results/itemResults.js";
import { sliceSize } from "../sliceSize.js";
import type { SliceWork } from "../slices.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { itemContext, itemOperationId } from "./itemContext.js";
import { validateItem } from "./validateItem.js";
import { validateNewItem } from "./validateNewItem.js";

/** A row that is ready to be inserted. */
interface NewItem {
  readonly row: Row;
  readonly permit: Permit;
}

/** POST of many rows: each item is validated separately, and the valid rows are inserted in as few statements as the store needs. */
export function createItems(resource: Resource, context: Context, results: ItemResults, problems: ItemProblems): SliceWork<unknown, NewItem> {
  const { environment, operationId } = context;
  const inner = itemContext(context);
  return {
    ...sliceSize(resource, environment),
    isOneCall: !needsTransaction(context, resource.model, "save") && environment.storage.collection(resource.model).insertMany !== undefined,
    ...results.bounded,
    async validate(items) {
      await prepareWrite(context, resource, "create");
      const now = new Date(environment.clock.now());
      return mapInTurns(items, (item) => validateItem(problems, () => validateNewItem(resource, inner, item, now)));
    },
    async write(items, tx) {
      const operationIds = operationId === undefined ? undefined : items.map(({ index }) => itemOperationId(operationId, index));
      const rows = items.map(({ index, ready }) => withItem(environment, resource.name, ready.row, index));
      const insert = () => writableRows(context, resource.model, tx).insertMany(rows, { ...writeCall(context), operationIds });
      // Inside a transaction the conflict must end the transaction, which is then retried as a whole.
      const outcomes = tx === undefined ? await retrying(insert, environment) : await insert();
      return mapInTurns(items, ({ ready: { permit } }, offset) => {
        const outcome = outcomes[offset];
        if (outcome?.ok) return results.created(outcome.row, permit, outcome.isHidden);
        return failedItem((outcome && refusal(outcome)) ?? duplicate(resource.idNames), problems);
      });
    },
  };
}
