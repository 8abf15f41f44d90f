import { weakTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import { parseSelection } from "../fields/parse.js";
import type { Selection } from "../fields/selection.js";
import type { View } from "../fields/view.js";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { ProblemError } from "../problem/index.js";
import type { Place } from "../problem/place.js";
import type { Faults } from "../query/fault.js";
import { type ListQuery, refuseFaults } from "../query/parse.js";
import { type Gate, gateFor } from "../schema/access.js";
import { type ListMeta, metaOf } from "./envelope.js";
import { includeRelations, keysOf } from "./include.js";
import type { LinkedResource } from "./link.js";
import { type ListLinks, linkHeader } from "./links.js";
import { type ListPage, readPage } from "./listPage.js";

/** A list request, parsed but for its choice of fields, and what is particular about how it came. */
export interface ListRequest {
  readonly query: ListQuery;
  /** What was wrong so far. */
  readonly faults: Faults;
  readonly gate: Gate;
  /** Names that an `authorize` callback narrowed the answer to. */
  readonly fields: readonly string[] | undefined;
  readonly cursorPlace: Place;
  links(page: ListPage, meta: ListMeta): ListLinks;
  /** Whether the request is one that a validator can spare the answer of. */
  readonly conditional: boolean;
}

/**
 * Finds a page and answers it: the same for a query string and for a search in a body.
 *
 * @throws {ProblemError} 400 with everything that was wrong, 403 FORBIDDEN_FIELD, 412
 */
export async function answerList(linked: LinkedResource, context: Context, request: ListRequest): Promise<HttpResponse> {
  const { principal, environment } = context;
  const { query, faults, gate, fields } = request;
  const rights = { own: gate, related: fields === undefined ? gate : gateFor(principal) };
  const selection = parseSelection(query.selection, linked, { kind: "compact", ...rights, limits: environment.limits }, faults);
  refuseFaults(faults);
  const view = linked.views.chosen(selection, "compact", principal, fields);
  const page = await readPage(linked, context, request, columnsOf(linked, query, selection, view));
  const shown = page.rows.map(view.select);
  if (selection.relations.size > 0) await includeRelations(linked, context, page.rows, shown, selection.relations);
  return respond(context, request, page, shown);
}

/** What the store has to read: what is shown, what is sorted by, and the keys of relations. */
function columnsOf(linked: LinkedResource, query: ListQuery, selection: Selection, { columns }: View): readonly string[] | undefined {
  if (columns === undefined) return undefined;
  return [...new Set([...columns, ...query.sort.map(({ path }) => path[0]), ...keysOf(linked, selection.relations)])];
}

function respond({ environment, headers: requestHeaders }: Context, request: ListRequest, page: ListPage, shown: readonly object[]): HttpResponse {
  const meta = metaOf(page);
  const links = request.links(page, meta);
  const body = JSON.stringify(environment.lists.envelope === "none" ? shown : { data: shown, meta, links });
  const link = linkHeader(links);
  const headers: ResponseHeaders = {};
  if (link !== undefined) headers["link"] = link;
  if (meta.totalRelation === "eq") headers["x-total-count"] = String(meta.total);
  if (!request.conditional) return { status: 200, headers: { ...headers, "cache-control": "no-store", "content-type": "application/json" }, body };
  const tag = weakTag(body);
  headers["etag"] = tag;
  const judged = checkPreconditions({ method: "GET", headers: requestHeaders, current: { tag, updatedAt: undefined } });
  if (judged === "failed") {
    throw new ProblemError("PRECONDITION_FAILED", "The list is not in the state that the request asks for.", { headers: { etag: tag } });
  }
  if (judged === "not-modified") return { status: 304, headers, body: null };
  headers["content-type"] = "application/json";
  return { status: 200, headers, body };
}
