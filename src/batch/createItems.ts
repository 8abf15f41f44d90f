import { isHeard, writableRows } from "../operation/commit.js";
import { type Context, writeCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import type { Permit } from "../operation/permit.js";
import { retrying } from "../operation/retry.js";
import { duplicate } from "../resource/conflict.js";
import { judgeCreate } from "../resource/create.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../storage/collection.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { itemContext, itemOperationId } from "./itemContext.js";
import type { ItemResults } from "./itemResults.js";
import { judgeItem } from "./judgeItem.js";
import type { SliceWork } from "./slices.js";
import { usable } from "./unusableItem.js";

/** A row that is ready to be inserted. */
interface NewItem {
  readonly row: Row;
  readonly permit: Permit;
}

/** POST of many: each item is validated by itself, and what is valid is inserted by as few statements as the store needs. */
export function createItems(resource: Resource, context: Context, results: ItemResults, problems: ItemProblems): SliceWork<unknown, NewItem> {
  const { environment, operationId } = context;
  const inner = itemContext(context);
  return {
    sliceItems: 1_000,
    isOneCall: !isHeard(environment, resource.model) && environment.storage.collection(resource.model).insertMany !== undefined,
    judge: (items) => inTurns(items, (item) => judgeItem(problems, () => judgeCreate(resource, inner, usable(item)))),
    async write(items, tx) {
      const operationIds = operationId === undefined ? undefined : items.map(({ index }) => itemOperationId(operationId, index));
      const rows = items.map(({ ready }) => ready.row);
      const insert = () => writableRows(environment, resource.model, tx).insertMany(rows, { ...writeCall(context), operationIds });
      // Within a transaction it is for that to begin again.
      const outcomes = tx === undefined ? await retrying(insert, environment) : await insert();
      return items.map(({ ready: { permit } }, offset) => {
        const outcome = outcomes[offset];
        if (outcome?.ok) return results.created(outcome.row, permit);
        return failedItem(duplicate(outcome?.why === "conflict" ? outcome.fields : [resource.id.name]), problems);
      });
    },
  };
}
