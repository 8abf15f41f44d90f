import type { Action } from "../auth/authorize.js";
import type { HttpResponse } from "../http/message.js";
import type { Preferences } from "../http/prefer.js";
import type { Limits } from "../limits/limits.js";
import { type Context, writeCall } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { LinkedResource } from "../resource/link.js";
import { toBodyValue } from "../resource/rowValues.js";
import { isPlainObject } from "../schema/wire.js";
import type { Row } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";
import type { Id } from "../storage/scalar.js";
import { batchBody, planRemoval, settle } from "./collectionBatches.js";
import { type FilteredRows, judgeMatch, type MatchedRows, matchRows, readFilter, requireFew, visibleRows } from "./filtered.js";
import type { ChosenMode } from "./mode.js";
import { batchOperation } from "./operation.js";
import { type BatchPlan, planOf, portionOf } from "./plan.js";
import { readItemId } from "./readItemId.js";
import { rememberIds } from "./rememberedIds.js";
import { removeItems } from "./removeItems.js";
import type { IndexedResult } from "./result.js";
import type { SliceWork } from "./slices.js";
import { updateItems } from "./updateItems.js";

/** POST to `/users/bulk-update?status=…`: one merge patch for all rows that match. */
export function bulkUpdateOperation(linked: LinkedResource, limits: Limits): Operation {
  const { resource } = linked;
  return batchOperation({
    name: `${resource.name}.bulkUpdate`,
    method: "POST",
    safety: "unsafe",
    access: { action: "update", collection: resource.name },
    body: batchBody(limits),
    async plan(context, prefer) {
      const { body } = context;
      const rows = await readFilter(linked, context, "");
      if (!isPlainObject(body) || Object.keys(body).length === 0) throw noPatch(body);
      const { chosen, results, problems } = settle(resource, context, prefer);
      const read = async (id: Id) => ({ id, changes: body, ifMatch: undefined });
      const work = updateItems(resource, context, { read, filter: rows.filter }, results, problems);
      return planFiltered(linked, context, prefer, { action: "update", rows, chosen, work, needsConfirmation: false });
    },
  });
}

/** DELETE of a collection: of the rows whose ids stand in the body, or of those that match the query. */
export function removeManyOperation(linked: LinkedResource, limits: Limits): Operation {
  const { resource } = linked;
  return batchOperation({
    name: `${resource.name}.removeMany`,
    method: "DELETE",
    safety: "idempotent",
    access: { action: "remove", collection: resource.name },
    body: { ...batchBody(limits), optional: true },
    async plan(context, prefer) {
      if (context.body !== undefined) {
        if (context.request.query !== "") throw bothGiven();
        return planRemoval(resource, context, prefer);
      }
      const lost = ` If the body with the ids got lost on its way, send it to POST /${resource.name}/batch-delete.`;
      const rows = await readFilter(linked, context, lost);
      const { chosen, results, problems } = settle(resource, context, prefer);
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
  // Of a job all this was judged when it was made.
  if (context.job !== undefined && chosen.mode === "best-effort") return planByPages(linked, context, { filter: rows.filter, action }, chosen, work);
  const goesOn = prefer.respondAsync === true && context.environment.jobs !== undefined && chosen.mode === "best-effort";
  let instead: BatchPlan | HttpResponse | undefined;
  const ids = await rememberIds(linked.resource, context, async () => {
    const matched = await matchRows(linked, context, rows.filter, action);
    if (context.job === undefined) instead = judgeMatch(linked, rows, matched, prefer, needsConfirmation);
    if (goesOn) instead ??= planLater(matched, chosen, planByPages(linked, context, { filter: rows.filter, action }, chosen, work));
    if (instead !== undefined) return undefined;
    requireFew(linked, context, matched.matched, chosen.mode === "atomic" ? "" : ` With "Prefer: respond-async" there may be more.`);
    return matched.ids;
  });
  if (ids === undefined) {
    if (instead === undefined) throw new Error("A batch by filter has neither rows nor an answer.");
    return instead;
  }
  const plan = planOf(chosen, ids, work);
  return chosen.mode === "atomic" ? plan : goingOnByPages(linked, ids, plan);
}

/** A batch that is begun at once and, where its time is over, goes on as a job does: behind the last row that was looked at. */
function goingOnByPages({ resource }: LinkedResource, ids: readonly Id[], plan: BatchPlan): BatchPlan {
  const cursorAfter = (index: number): PageCursor => ({ next: index + 1, after: toBodyValue(resource.id, ids[index]) });
  return {
    ...plan,
    keep: withoutData,
    async portion(cursor) {
      const portion = await plan.portion(cursor);
      return portion && { ...portion, cursorAfter };
    },
  };
}

/** A batch that will be a job: how many rows it is about is known by now. */
function planLater({ matched }: MatchedRows, chosen: ChosenMode, pages: BatchPlan): BatchPlan {
  return { ...pages, ...chosen, total: matched ?? null };
}

/** Where a job stands among the rows of a filter. */
interface PageCursor {
  readonly next: number;
  /** As it stands in JSON. */
  readonly after: unknown;
}

/** The rows of a filter page by page, in the order of their ids: rows that have been changed, and may match no more, are never looked at again. */
function planByPages<Ready>(
  { resource }: LinkedResource,
  context: Context,
  { filter, action }: { readonly filter: Filter; readonly action: Action },
  chosen: ChosenMode,
  work: SliceWork<Id, Ready>,
): BatchPlan {
  const { environment } = context;
  const { id: idField, name } = resource;
  const path = [idField.name] as const;
  const idOf = (row: Row) => row[idField.name] as Id;
  const pageBehind = async (after: unknown): Promise<readonly Row[]> => {
    const behind: readonly Filter[] = after === undefined ? [] : [{ op: "gt", path, value: await readItemId(resource, after, "") }];
    const asked = { filter: { op: "and", args: [filter, ...behind] }, sort: [{ path, dir: "asc" }], limit: work.sliceItems } as const;
    const query = environment.authorize === undefined ? { ...asked, fields: [path] } : asked;
    return environment.collection(name).find(query, writeCall(context));
  };
  return {
    ...chosen,
    total: context.job?.job.total ?? null,
    show: withoutData,
    keep: withoutData,
    async portion(cursor) {
      const { next, after: begin } = isPlainObject(cursor) ? (cursor as unknown as PageCursor) : { next: 0, after: undefined };
      let after = begin;
      for (;;) {
        const found = await pageBehind(after);
        const last = found.at(-1);
        if (last === undefined) return undefined;
        const ids = (environment.authorize === undefined ? found : await visibleRows(context, resource, action, found)).map(idOf);
        const lookedAt = toBodyValue(idField, idOf(last));
        const cursorAfter = (index: number): PageCursor => ({
          next: index + 1,
          after: index - next === ids.length - 1 ? lookedAt : toBodyValue(idField, ids[index - next]),
        });
        if (ids.length > 0) return portionOf(chosen, ids, work, { first: next, cursorAfter });
        after = lookedAt;
      }
    },
  };
}

/** There may be a great many. */
function withoutData({ data: _, ...result }: IndexedResult): IndexedResult {
  return result;
}

function bothGiven(): ProblemError {
  const detail = "A body with ids and a query cannot both choose the rows; send one of them.";
  return new ProblemError("INVALID_BATCH", detail, { errors: [{ code: "INVALID_BATCH", detail, pointer: "" }] });
}

function noPatch(body: unknown): ProblemError {
  const detail = isPlainObject(body) ? "The patch is empty: it would change nothing." : "The body must be a merge patch, as a JSON object.";
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: "" }] });
}
