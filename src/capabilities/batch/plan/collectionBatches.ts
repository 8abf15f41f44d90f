import type { Context } from "../../../engine/operation/context.js";
import type { BodyRule, Operation } from "../../../engine/operation/operation.js";
import { prepareWrite } from "../../../engine/operation/rules/prepareWrite.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { Preferences } from "../../../ground/http/headers/prefer.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { createItems } from "../execute/items/createItems.js";
import { createWithEffects } from "../execute/items/createWithEffects.js";
import { type RemoveItem, removeItems } from "../execute/items/removeItems.js";
import { type UpdateItem, updateItems } from "../execute/items/updateItems.js";
import { batchOperation } from "../execute/operation.js";
import { ItemResults } from "../execute/results/itemResults.js";
import type { Resources } from "../execute/results/resultRights.js";
import { batchSettings } from "./batchSettings.js";
import { itemIfMatch, itemMembers } from "./itemMembers.js";
import { type ChosenMode, chooseMode } from "./mode.js";
import { planOf } from "./plan.js";
import { readItemId } from "./readItemId.js";
import { readItems } from "./readItems.js";
import { batchRulesOf } from "./rules.js";
import { checkBatchJson, parseBatchJson } from "./unusableItem.js";

/** The body of a batch: JSON, with a higher size limit than other requests. */
export function batchBody(limits: Limits): BodyRule {
  return {
    ...jsonBody(limits),
    limitBytes: limits.batchBodyBytes,
    limitValues: limits.batchValues,
    tooLarge: "BATCH_TOO_LARGE",
    json: { parse: parseBatchJson, check: checkBatchJson },
  };
}

/** POST to `/users/batch`: many new rows. */
export function batchCreateOperation(resource: Resource, limits: Limits): Operation {
  return batchOperation({
    name: `${resource.name}.batchCreate`,
    itemName: `${resource.name}.create`,
    method: "POST",
    access: { action: "create", collection: resource.name },
    requiresKey: resource.requireIdempotencyKey,
    body: batchBody(limits),
    resources: () => oneOf(resource),
    async plan(context, prefer) {
      const { items } = readItems(context.body, ["items"], maxItemsOf(resource, limits));
      const { chosen, results, problems } = prepareBatch(resource, context, prefer);
      await prepareWrite(context, resource, "create");
      if (resource.create === undefined) return planOf(chosen, items, createItems(resource, context, results, problems));
      return planOf(chosen, items, createWithEffects(resource, resource.create, context, results, { problems, mode: chosen.mode }));
    },
  });
}

/** PATCH of `/users/batch`: a merge patch for each of many rows. */
export function batchUpdateOperation(resource: Resource, limits: Limits): Operation {
  return batchOperation({
    name: `${resource.name}.batchUpdate`,
    itemName: `${resource.name}.update`,
    method: "PATCH",
    access: { action: "update", collection: resource.name },
    body: batchBody(limits),
    resources: () => oneOf(resource),
    async plan(context, prefer) {
      const { items } = readItems(context.body, ["items"], maxItemsOf(resource, limits));
      const { chosen, results, problems } = prepareBatch(resource, context, prefer);
      const source = { read: (item: unknown) => readUpdateItem(resource, item), member: "changes" };
      return planOf(chosen, items, updateItems(resource, context, source, results, problems));
    },
  });
}

/** POST to `/users/batch-delete`. */
export function batchRemoveOperation(resource: Resource, limits: Limits): Operation {
  return batchOperation({
    name: `${resource.name}.batchRemove`,
    itemName: `${resource.name}.remove`,
    method: "POST",
    access: { action: "remove", collection: resource.name },
    body: batchBody(limits),
    resources: () => oneOf(resource),
    plan: async (context, prefer) => planRemoval(resource, context, prefer),
  });
}

/** A batch that deletes the rows that the body names. */
export function planRemoval(resource: Resource, context: Context, prefer: Preferences) {
  const { items, member } = readItems(context.body, ["ids", "items"], maxItemsOf(resource, context.environment.limits));
  const { chosen, results, problems } = prepareBatch(resource, context, prefer);
  const read = (item: unknown) => (member === "ids" ? readId(resource, item) : readRemoveItem(resource, item));
  return planOf(chosen, items, removeItems(resource, context, { read, wantsRows: prefer.return === "representation" }, results, problems));
}

/** The collections whose rows the results of a batch of one collection show. */
export function oneOf(resource: Resource): Resources {
  return new Map([[resource.name, { resource }]]);
}

/** The common part of all batches of a collection. */
export function prepareBatch(resource: Resource, context: Context, prefer: Preferences) {
  const chosen = chooseMode(batchRulesOf(context.environment), prefer, resource.batch);
  const withData = prefer.return !== "minimal";
  const applied = prefer.return === undefined ? chosen.applied : [...chosen.applied, `return=${prefer.return}`];
  return {
    chosen: { ...chosen, applied } satisfies ChosenMode,
    results: new ItemResults(resource, context, withData),
    problems: batchSettings(context).problems,
  };
}

export function maxItemsOf({ batch }: Resource, limits: Limits): number {
  return batch?.maxItems ?? limits.batchItems;
}

async function readUpdateItem(resource: Resource, item: unknown): Promise<UpdateItem> {
  const members = itemMembers(item, ["id", "changes", "ifMatch"]);
  return { id: await readItemId(resource, members["id"], "/id"), changes: members["changes"], ifMatch: itemIfMatch(members) };
}

async function readRemoveItem(resource: Resource, item: unknown): Promise<RemoveItem> {
  const members = itemMembers(item, ["id", "ifMatch"]);
  return { id: await readItemId(resource, members["id"], "/id"), ifMatch: itemIfMatch(members) };
}

async function readId(resource: Resource, item: unknown): Promise<RemoveItem> {
  return { id: await readItemId(resource, item, ""), ifMatch: undefined };
}
