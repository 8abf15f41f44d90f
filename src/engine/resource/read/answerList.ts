import { writeJson } from "../../../ground/http/json/writeJson.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { weakTag, weakTagOfBytes } from "../../../language/conditional/etag.js";
import { checkPreconditions } from "../../../language/conditional/precondition.js";
import { parseSelection } from "../../../language/fields/parse.js";
import type { Selection } from "../../../language/fields/selection.js";
import type { View } from "../../../language/fields/view.js";
import type { Faults } from "../../../language/query/fault.js";
import { type ListQuery, refuseFaults } from "../../../language/query/grammar/parse.js";
import { type Gate, gateFor } from "../../../language/schema/access.js";
import type { Context } from "../../operation/context.js";
import type { QueryContext } from "../../operation/operation.js";
import type { LinkedResource } from "../relations/link.js";
import { loadInclude } from "../relations/onDemand.js";
import { keysOf } from "../relations/relationKeys.js";
import { type ListMeta, metaOf } from "./envelope.js";
import { type ListLinks, linkHeader } from "./links.js";
import { type ListPage, type PageParts, readPage } from "./listPage.js";
import { noteRows } from "./noteRows.js";

/** A list request, parsed except for its selection of fields. */
export interface ParsedList {
  readonly query: ListQuery;
  /** Faults so far. */
  readonly faults: Faults;
  readonly gate: Gate;
  /** Names that an `authorize` callback narrowed the response to. */
  readonly fields: readonly string[] | undefined;
}

/** A list to read. */
export interface AskedList {
  readonly query: ListQuery;
  readonly selection: Selection;
  readonly gate: Gate;
  /** Names that an `authorize` callback narrowed the response to. */
  readonly fields: readonly string[] | undefined;
  readonly cursorPlace: FaultLocation;
}

/** A list request, and the properties of its HTTP method. */
export interface ListRequest extends AskedList {
  links(page: ListPage, meta: ListMeta): ListLinks;
  /** Whether a 304 is possible for the request. */
  readonly conditional: boolean;
}

/**
 * Parses the fields and relations that a list shows, and reports all faults of the request.
 *
 * @throws {ProblemError} 400 with all faults, 403 FORBIDDEN_FIELD
 */
export function selectList(
  linked: LinkedResource,
  { principal, environment }: Pick<QueryContext, "principal" | "environment">,
  { query, faults, gate, fields }: ParsedList,
): Selection {
  const rights = { own: gate, related: fields === undefined ? gate : gateFor(principal) };
  const selection = parseSelection(query.selection, linked, { kind: "compact", ...rights, limits: environment.limits }, faults);
  refuseFaults(faults);
  return selection;
}

/**
 * Reads a page and responds with it, for a query string and for a search in a body.
 *
 * @throws {ProblemError} 400 INVALID_CURSOR, 403, 412
 */
export function answerList(linked: LinkedResource, context: Context, request: ListRequest): Promise<HttpResponse> {
  return showList(linked, context, request, (list) => writeList(linked, context, request, list));
}

/** A page of a list in the form that its view selects. */
export interface ShownList {
  readonly page: ListPage;
  readonly view: View;
  readonly shown: readonly Record<string, unknown>[];
}

/**
 * Reads a page and selects what it shows.
 *
 * @param answer makes the answer from the page
 * @throws {ProblemError} 400 INVALID_CURSOR, 403
 */
export async function showList<Answer>(
  linked: LinkedResource,
  context: Context,
  request: AskedList,
  answer: (list: ShownList) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { query, selection, fields } = request;
  const view = linked.views.chosen(selection, "compact", context.principal, fields);
  const parts = { fields: columnsOf(linked, context, query, selection, view), versions: view.tagged ?? false };
  const page = await readPage(linked, context, request, parts);
  const { rows } = page;
  noteRows(context, linked, rows);
  const shown = rows.length * view.names.size > quickValues ? await mapInTurns(rows, view.select) : rows.map(view.select);
  if (selection.relations.size > 0) await (await loadInclude()).includeRelations(linked, context, rows, shown, selection.relations);
  return answer({ page, view, shown });
}

function writeList(
  linked: LinkedResource,
  context: Context,
  request: ListRequest,
  { page, view, shown }: ShownList,
): HttpResponse | Promise<HttpResponse> {
  const { selection, conditional } = request;
  const meta = metaOf(page);
  const links = request.links(page, meta);
  const json = context.environment.lists.envelope === "none" ? shown : { data: shown, meta, links };
  const { format } = context;
  const written =
    format === undefined ? writeJson(json) : format.writeList({ of: linked, view, relations: [...selection.relations.keys()], rows: shown, json });
  if (typeof written === "string") return respond(context, { meta, links, body: written, tag: conditional ? weakTag(written) : undefined });
  return written.then(async (body) => {
    const tag = !conditional ? undefined : typeof body === "string" ? weakTag(body) : await weakTagOfBytes(body);
    return respond(context, { meta, links, body, tag });
  });
}

/** The most values that are copied from rows without yielding. */
const quickValues = 10_000;

/** The columns that the store must read: shown fields, sort keys, and keys of relations. */
function columnsOf(linked: LinkedResource, { shown }: Context, query: ListQuery, selection: Selection, { columns }: View): PageParts["fields"] {
  if (columns === undefined) return undefined;
  const id = shown === undefined ? [] : [linked.resource.model.id];
  return [...new Set([...columns, ...id, ...query.sort.map(({ path }) => path[0]), ...keysOf(linked, selection.relations)])].map((name) => [name]);
}

/** The body of a list. */
interface Written {
  readonly meta: ListMeta;
  readonly links: ListLinks;
  readonly body: string | Uint8Array;
  /** `undefined` if a 304 is not possible. */
  readonly tag: string | undefined;
}

function respond({ headers: requestHeaders, format }: Context, { meta, links, body, tag }: Written): HttpResponse {
  const link = linkHeader(links);
  const headers: ResponseHeaders = {};
  if (link !== undefined) headers["link"] = link;
  if (meta.totalRelation === "eq") headers["x-total-count"] = String(meta.total);
  if (tag === undefined) {
    headers["cache-control"] = "no-store";
  } else {
    headers["etag"] = tag;
    const outcome = checkPreconditions({ method: "GET", headers: requestHeaders, current: { tag, updatedAt: undefined } });
    if (outcome === "failed") {
      throw new ProblemError("PRECONDITION_FAILED", "The list is not in the state that the request requires.", { headers: { etag: tag } });
    }
    if (outcome === "not-modified") return { status: 304, headers, body: null };
  }
  headers["content-type"] = format?.contentType ?? "application/json";
  return { status: 200, headers, body };
}
