import { weakTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import type { HttpResponse } from "../http/message.js";
import { type Context, readCall } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import { type ListQuery, parseListQuery } from "../query/parse.js";
import { gateFor } from "../schema/access.js";
import { linkHeader, pageLinks, pageMeta } from "./envelope.js";
import type { Resource } from "./resource.js";

/** GET of a collection: a page of the compact view in an envelope. */
export function listOperation(resource: Resource): Operation {
  return {
    name: `${resource.name}.list`,
    method: "GET",
    safety: "safe",
    access: { action: "list", collection: resource.name },
    run: (context) => list(resource, context),
  };
}

async function list(resource: Resource, context: Context): Promise<HttpResponse> {
  const { environment, request, principal, permit } = context;
  const query = parseListQuery(request.query, resource.queryTable, gateFor(principal, permit.fields), environment.limits);
  const [rows, counted] = await fetchPage(resource, context, query);
  const view = resource.views.of("compact", principal, permit.fields);
  const meta = pageMeta(query, counted, environment.limits.count);
  const links = pageLinks(request, query, meta);
  const body = JSON.stringify({ data: rows.map(view.select), meta, links });
  const tag = weakTag(body);
  const judged = checkPreconditions({ method: "GET", headers: context.headers, current: { tag, updatedAt: undefined } });
  if (judged === "failed")
    throw new ProblemError("PRECONDITION_FAILED", "The list is not in the state that the request asks for.", { headers: { etag: tag } });
  const link = linkHeader(links);
  const headers = {
    etag: tag,
    ...(link === undefined ? {} : { link }),
    ...(meta.totalRelation === "eq" ? { "x-total-count": String(meta.total) } : {}),
  };
  if (judged === "not-modified") return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body };
}

/** A page that is not full says itself how many rows there are: the count is spared. */
async function fetchPage(resource: Resource, context: Context, query: ListQuery) {
  const collection = context.environment.collection(resource.name);
  const offset = (query.page - 1) * query.perPage;
  const rows = await collection.find({ filter: query.filter, sort: query.sort, limit: query.perPage, offset }, readCall(context));
  const isLast = rows.length < query.perPage && (rows.length > 0 || offset === 0);
  if (isLast) return [rows, offset + rows.length] as const;
  const max = context.environment.limits.count + 1;
  return [rows, await collection.count(query.filter, Object.assign(readCall(context), { max }))] as const;
}
