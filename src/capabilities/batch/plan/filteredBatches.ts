import { type Context, writeCall } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { changeableRows } from "../../../engine/operation/rules/readableRows.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { refuseImpossiblePatch } from "../../../engine/resource/write/impossiblePatch.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import { toBodyValue } from "../../../engine/resource/write/rowValues.js";
import type { Preferences } from "../../../ground/http/headers/prefer.js";
import { isObject } from "../../../ground/http/isObject.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { jobsOf } from "../../jobs/settings.js";
import { removeItems } from "../execute/items/removeItems.js";
import { updateItems } from "../execute/items/updateItems.js";
import { batchOperation } from "../execute/operation.js";
import type { IndexedResult } from "../execute/results/result.js";
import type { SliceWork } from "../execute/slices.js";
import { batchBody, oneOf, planRemoval, prepareBatch } from "./collectionBatches.js";
import { type FilteredRows, type MatchedRows, matchRows, parseFilter, readFilter, requireAtMostMaxItems, validateMatch } from "./filtered.js";
import type { ChosenMode } from "./mode.js";
import { type BatchPlan, planOf, portionOf } from "./plan.js";
import { readItemId } from "./readItemId.js";
import { rememberIds } from "./rememberedIds.js";

/** POST to `/users/bulk-update?status=…`: one merge patch for all rows that match. */
export function bulkUpdateOperation(linked: LinkedResource, limits: Limits): Operation {
  const { resource } = linked;
  return batchOperation({
    name: `${resource.name}.bulkUpdate`,
    itemName: `${resource.name}.update`,
    method: "POST",
    access: { action: "update", collection: resource.name },
    asksLater: [[{ action: "list", collection: resource.name }]],
    readQuery: (context) => parseFilter(linked, context),
    body: jsonBody(limits),
    resources: () => oneOf(resource),
    async plan(context, prefer) {
      const { body } = context;
      const rows = await readFilter(linked, context, "");
      if (!isObject(body) || Object.keys(body).length === 0) throw noPatch(body);
      if (context.job === undefined) await refuseImpossiblePatch(resource, context, body);
      const { chosen, results, problems } = prepareBatch(resource, context, prefer);
      const read = async (id: Id) => ({ id, changes: body, ifMatch: undefined });
      const work = updateItems(resource, context, { read, filter: rows.filter }, results, problems);
      return planFiltered(linked, context, prefer, { action: "update", rows, chosen, work, needsConfirmation: false });
    },
  });
}

/** DELETE of a collection: of the rows whose ids the body contains, or of those that match the query. */
export function removeManyOperation(linked: LinkedResource, limits: Limits): Operation {
  const { resource } = linked;
  return batchOperation({
    name: `${resource.name}.removeMany`,
    itemName: `${resource.name}.remove`,
    method: "DELETE",
    access: { action: "remove", collection: resource.name },
    readQuery: (context) => (context.request.query === "" ? undefined : parseFilter(linked, context)),
    body: { ...batchBody(limits), optional: true },
    resources: () => oneOf(resource),
    async plan(context, prefer) {
      if (context.body !== undefined) {
        if (context.request.query !== "") throw bothGiven();
        return planRemoval(resource, context, prefer);
      }
      const lost = ` If the body with the ids was lost on the way, send it to POST /${resource.name}/batch-delete.`;
      const rows = await readFilter(linked, context, lost);
      const { chosen, results, problems } = prepareBatch(resource, context, prefer);
      const read = async (id: Id) => ({ id, ifMatch: undefined });
      const wantsRows = prefer.return === "representation";
      const work = removeItems(resource, context, { read, filter: rows.filter, wantsRows }, results, problems);
      return planFiltered(linked, context, prefer, { action: "remove", rows, chosen, work, needsConfirmation: true });
    },
  });
}

interface Filtered<Ready> {
  readonly action: "update" | "remove";
  readonly rows: FilteredRows;
  readonly chosen: ChosenMode;
  readonly work: SliceWork<Id, Ready>;
  readonly needsConfirmation: boolean;
}

async function planFiltered<Ready>(
  linked: LinkedResource,
  context: Context,
  prefer: Preferences,
  { action, rows, chosen, work, needsConfirmation }: Filtered<Ready>,
): Promise<BatchPlan | HttpResponse> {
  // A job was checked when it was created.
  if (context.job !== undefined && chosen.mode === "best-effort") return planByPages(linked, context, { filter: rows.filter, action }, chosen, work);
  const goesOn = prefer.respondAsync === true && jobsOf(context.environment) !== undefined && chosen.mode === "best-effort";
  let instead: BatchPlan | HttpResponse | undefined;
  const ids = await rememberIds(linked.resource, context, async () => {
    const matched = await matchRows(linked, context, rows.filter, action);
    if (context.job === undefined) instead = validateMatch(linked, rows, matched, prefer, needsConfirmation);
    if (goesOn) instead ??= planLater(matched, chosen, planByPages(linked, context, { filter: rows.filter, action }, chosen, work));
    if (instead !== undefined) return undefined;
    requireAtMostMaxItems(linked, context, matched.matched, chosen.mode === "atomic" ? "" : ` With "Prefer: respond-async" there may be more.`);
    return matched.ids;
  });
  if (ids === undefined) {
    if (instead === undefined) throw new Error("A batch by filter has neither rows nor an answer.");
    return instead;
  }
  const plan = planOf(chosen, ids, work);
  return chosen.mode === "atomic" ? plan : continuedByPages(linked, ids, plan);
}

/** A batch that begins within its request and, if its time ends, continues as a job after the last row that was processed. */
function continuedByPages({ resource }: LinkedResource, ids: readonly Id[], plan: BatchPlan): BatchPlan {
  const cursorAfter = (index: number): PageCursor => ({ next: index + 1, after: toBodyValue(resource.id, ids[index]) });
  return {
    ...plan,
    keep: withoutData,
    hasNoData: true,
    async portion(cursor) {
      const portion = await plan.portion(cursor);
      return portion && { ...portion, cursorAfter };
    },
  };
}

/** A batch that becomes a job: the number of its rows is already known. */
function planLater({ matched }: MatchedRows, chosen: ChosenMode, pages: BatchPlan): BatchPlan {
  return { ...pages, ...chosen, total: matched };
}

/** The position of a job among the rows of a filter. */
interface PageCursor {
  readonly next: number;
  /** As JSON. */
  readonly after: unknown;
}

/** The rows of a filter page by page, in the order of their ids: rows that were changed, and may no longer match, are not read again. */
function planByPages<Ready>(
  { resource }: LinkedResource,
  context: Context,
  { filter, action }: { readonly filter: Filter; readonly action: "update" | "remove" },
  chosen: ChosenMode,
  work: SliceWork<Id, Ready>,
): BatchPlan {
  const { id: idField, name } = resource;
  const path = [idField.name] as const;
  const idOf = (row: Row) => row[idField.name] as Id;
  const pageBehind = async (after: unknown): Promise<readonly Row[]> => {
    const behind: readonly Filter[] = after === undefined ? [] : [{ op: "gt", path, value: await readItemId(resource, after, "") }];
    const rows = await changeableRows(context, name, action);
    const both = { op: "and", args: [filter, ...behind] } as const;
    return rows.find({ filter: both, sort: [{ path, dir: "asc" }], fields: [path], limit: work.sliceItems }, writeCall(context));
  };
  return {
    ...chosen,
    total: context.job?.job.total ?? null,
    show: withoutData,
    keep: withoutData,
    hasNoData: true,
    async portion(cursor) {
      const { next, after: begin } = isObject(cursor) ? (cursor as unknown as PageCursor) : { next: 0, after: undefined };
      const ids = (await pageBehind(begin)).map(idOf);
      if (ids.length === 0) return undefined;
      const cursorAfter = (index: number): PageCursor => ({ next: index + 1, after: toBodyValue(idField, ids[index - next]) });
      return portionOf(chosen, ids, work, { first: next, cursorAfter });
    },
  };
}

/** A filter can match very many rows, so results contain no data. */
function withoutData({ data: _, ...result }: IndexedResult): IndexedResult {
  return result;
}

function bothGiven(): ProblemError {
  const detail = "A body with ids and a query cannot both choose the rows; send one of them.";
  return new ProblemError("INVALID_BATCH", detail, { errors: [{ code: "INVALID_BATCH", detail, pointer: "" }] });
}

function noPatch(body: unknown): ProblemError {
  const detail = isObject(body) ? "The patch is empty: it would change nothing." : "The body must be a merge patch, as a JSON object.";
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: "" }] });
}
