import type { Context } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import type { Permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import { duplicate } from "../resource/conflict.js";
import { insertRow, judgeCreate } from "../resource/create.js";
import type { CreateEffect, Resource } from "../resource/resource.js";
import { withEffect } from "../resource/withEffect.js";
import type { Row } from "../storage/collection.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { itemContext, itemOperationId } from "./itemContext.js";
import type { ItemResults } from "./itemResults.js";
import { judgeItem } from "./judgeItem.js";
import type { BatchMode } from "./result.js";
import type { SliceWork } from "./slices.js";
import { usable } from "./unusableItem.js";

/**
 * POST of many where each has an effect elsewhere: one at a time, each under an operation id of its own.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED for an atomic batch: no transaction takes such an effect back
 */
export function createWithEffects(
  resource: Resource,
  effect: CreateEffect,
  context: Context,
  results: ItemResults,
  { problems, mode }: { readonly problems: ItemProblems; readonly mode: BatchMode },
): SliceWork<unknown, { readonly row: Row; readonly permit: Permit }> {
  if (mode === "atomic") {
    throw new ProblemError("ATOMIC_UNSUPPORTED", `Creating in "${resource.name}" has effects elsewhere: a batch of it cannot be atomic.`);
  }
  const { operationId } = context;
  const inner = itemContext(context);
  const contextOf = (index: number): Context =>
    operationId === undefined ? inner : { ...inner, operationId: itemOperationId(operationId, index), insertsUnderOperationId: true };
  return {
    sliceItems: 1,
    commitsItself: true,
    judge: (items) => inTurns(items, (item) => judgeItem(problems, () => judgeCreate(resource, inner, usable(item)))),
    write: (items) =>
      inTurns(items, async ({ index, ready: { row, permit } }) => {
        try {
          const own = contextOf(index);
          const { outcome } = await insertRow(resource, own, await withEffect(resource, effect, own, row), permit);
          if (outcome.ok) return results.created(outcome.row, permit);
          return failedItem(duplicate(outcome.why === "conflict" ? outcome.fields : [resource.id.name]), problems);
        } catch (error) {
          if (error instanceof ProblemError && error.status < 500) return failedItem(error, problems);
          throw error;
        }
      }),
  };
}
