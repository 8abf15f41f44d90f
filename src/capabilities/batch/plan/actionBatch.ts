import { type Context, writeCall } from "../../../engine/operation/context.js";
import { stableIdOf } from "../../../engine/operation/ids/stableId.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { savepoint } from "../../../engine/operation/transaction/savepoint.js";
import type { BatchedAction, BatchedOutcome, PerformItem } from "../../../engine/resource/batchedAction.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { toBodyValue } from "../../../engine/resource/write/rowValues.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import { roomAfter } from "../../../ground/storage/queue/roomAfter.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { failedItem, type ItemProblems } from "../execute/items/failedItem.js";
import { conditionalItem, itemContext, itemOperationId } from "../execute/items/itemContext.js";
import { lockRows } from "../execute/items/lockRows.js";
import { validateItem } from "../execute/items/validateItem.js";
import { batchOperation } from "../execute/operation.js";
import type { ItemResults } from "../execute/results/itemResults.js";
import type { ItemResult } from "../execute/results/result.js";
import { again, type SliceWork, type Written } from "../execute/slices.js";
import { batchBody, maxItemsOf, oneOf, prepareBatch } from "./collectionBatches.js";
import { itemIfMatch, itemMembers } from "./itemMembers.js";
import { planOf } from "./plan.js";
import { readItemId } from "./readItemId.js";
import { readItems } from "./readItems.js";
import { usable } from "./unusableItem.js";

/** POST to `/orders/cancel`: an action of the developer for each of many rows. */
export function batchActionOperation(resource: Resource, action: BatchedAction, limits: Limits): Operation {
  const { name } = action;
  return batchOperation({
    name: `${resource.name}.batch${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    itemName: `${resource.name}.${name}`,
    method: "POST",
    access: { action: name, collection: resource.name },
    requiresKey: resource.requireIdempotencyKey,
    body: batchBody(limits),
    resources: () => oneOf(resource),
    async plan(given, prefer) {
      const context: Context = { ...given, way: "batch" };
      const { items } = readItems(context.body, ["items"], maxItemsOf(resource, limits));
      const { chosen, results, problems } = prepareBatch(resource, context, prefer);
      return planOf(chosen, items, actOnItems(resource, action, context, results, problems));
    },
  });
}

/** Transactions with more items would hold their rows for long: the developer's function may wait for something. */
const maxItems = 10;

interface ReadyItem {
  readonly id: Id;
  readonly perform: PerformItem;
}

function actOnItems(
  resource: Resource,
  action: BatchedAction,
  context: Context,
  results: ItemResults,
  problems: ItemProblems,
): SliceWork<unknown, ReadyItem> {
  const inner = itemContext(context);
  const batchId = stableIdOf(context);
  const respond = responsesWithin(context.environment.limits.batchBodyBytes);
  return {
    sliceItems: maxItems,
    ...results.bounded,
    // What the developer's function responds cannot be read again.
    fit: (written, first) => results.fit(written, first, ({ etag }) => etag === undefined),
    async validate(items, first) {
      await action.askRules(context);
      return mapInTurns(items, (item, offset) => validateItem(problems, () => readyItem(usable(item), first + offset)));
    },
    lock: (items, tx) =>
      lockRows(
        tx.collection(resource.model),
        resource.id.name,
        items.map(({ ready }) => ready.id),
        writeCall(context),
      ),
    write: (items, tx) =>
      mapInTurns(items, async ({ index, ready: { id, perform } }): Promise<Written> => {
        if (tx === undefined) throw new Error("An action of a batch began without its transaction.");
        try {
          // A failed item leaves nothing behind.
          return await savepoint(tx, async (inner) => resultOf(id, index, await perform(inner)));
        } catch (error) {
          if (action.isChange(error)) return again;
          if (isRefusal(error)) return failedItem(error, problems);
          throw error;
        }
      }),
  };

  async function readyItem(item: unknown, index: number): Promise<ReadyItem> {
    const members = itemMembers(item, ["id", "input", "ifMatch"]);
    const id = await readItemId(resource, members["id"], "/id");
    const own = { ...conditionalItem(inner, itemIfMatch(members)), operationId: itemOperationId(batchId, index) };
    return { id, perform: await action.prepare(own, { id, input: members["input"], member: "input" }) };
  }

  function resultOf(id: Id, index: number, { row, isHidden, responded }: BatchedOutcome): ItemResult {
    const shownId = toBodyValue(resource.id, id);
    if (responded !== undefined) return respond(shownId, index, responded);
    return row === undefined ? { status: 204, id: shownId } : results.updated(row, context.permit, isHidden);
  }
}

type Responded = NonNullable<BatchedOutcome["responded"]>;

/**
 * Makes the results of items that responded, which have a number of characters together.
 *
 * @returns a function that throws PAYLOAD_TOO_LARGE for a response too many: it cannot be read again, so that nothing of it may be left out
 */
function responsesWithin(maximum: number): (shownId: unknown, index: number, responded: Responded) => ItemResult {
  /** The characters that remain after each item that responded. */
  const left: number[] = [];
  return (id, index, { value, status, headers }) => {
    // Items that are performed again begin where they began before.
    left.splice(index);
    const room = roomAfter(value, left.findLast(Boolean) ?? maximum);
    if (room <= 0) throw new ProblemError("PAYLOAD_TOO_LARGE", `All responses may have ${maximum} characters.`);
    left[index] = room;
    return { status, id, ...(Object.keys(headers).length === 0 ? {} : { headers }), ...(value === undefined ? {} : { data: value }) };
  };
}
