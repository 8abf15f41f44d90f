import type { Context } from "../../../../engine/operation/context.js";
import { stableIdOf } from "../../../../engine/operation/ids/stableId.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import type { CreateEffect, Resource } from "../../../../engine/resource/resource.js";
import { duplicate, refusal } from "../../../../engine/resource/write/conflict.js";
import { insertRow } from "../../../../engine/resource/write/create.js";
import { withEffect } from "../../../../engine/resource/write/withEffect.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import { isRefusal, ProblemError } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { ItemResults } from "../results/itemResults.js";
import type { BatchMode } from "../results/result.js";
import type { SliceWork } from "../slices.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { itemContext, itemOperationId } from "./itemContext.js";
import { validateItem } from "./validateItem.js";
import { validateNewItem } from "./validateNewItem.js";

/**
 * POST of many rows whose creation has an effect outside the storage: one at a time, each with its own operation id.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED for an atomic batch: a rollback cannot undo such an effect
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
  const operation = stableIdOf(context);
  const contextOf = (index: number): Context => ({
    ...inner,
    operationId: itemOperationId(operation, index),
    insertsUnderOperationId: operationId !== undefined,
  });
  return {
    sliceItems: 1,
    commitsItself: true,
    ...results.bounded,
    async validate(items) {
      await prepareWrite(context, resource, "create");
      const now = new Date(context.environment.clock.now());
      return mapInTurns(items, (item) => validateItem(problems, () => validateNewItem(resource, inner, item, now)));
    },
    write: (items) =>
      mapInTurns(items, async ({ index, ready: { row, permit } }) => {
        try {
          const own = contextOf(index);
          const { outcome } = await insertRow(resource, own, await withEffect(resource, effect, own, row), permit);
          if (outcome.ok) return results.created(outcome.row, permit, outcome.isHidden);
          return failedItem(refusal(outcome) ?? duplicate(resource.idNames), problems);
        } catch (error) {
          if (isRefusal(error)) return failedItem(error, problems);
          throw error;
        }
      }),
  };
}
