import { formatHttpDate } from "../../../ground/http/headers/dates.js";
import type { HttpResponse, ResponseBody, ResponseHeaders } from "../../../ground/http/message.js";
import type { Row } from "../../../ground/storage/collection.js";
import { strongTag } from "../../../language/conditional/etag.js";
import type { View } from "../../../language/fields/view.js";
import type { Context } from "../../operation/context.js";
import type { Permit } from "../../operation/permit.js";
import type { Resource } from "../resource.js";

/** The full view of a single resource for a principal. */
export function singleView(resource: Resource, context: Context, permit: Permit): View {
  return inFormat(resource, context, resource.views.of("full", context.principal, permit.fields));
}

/** A view in the format of the answer. */
export function inFormat(resource: Resource, { format }: Context, view: View): View {
  return format?.viewOf?.(view, resource) ?? view;
}

/** A resource with its validators. @param body its JSON, if it is already made */
export function representation(status: number, row: Row, view: View, more?: ResponseHeaders, body?: ResponseBody): HttpResponse {
  const headers = validators(row, view);
  const { format } = view;
  headers["content-type"] = format?.contentType ?? "application/json";
  const write = format?.write ?? JSON.stringify;
  return { status, headers: more === undefined ? headers : Object.assign(headers, more), body: body ?? write(view.select(row)) };
}

/** The same without the body: for 304, and for `Prefer: return=minimal`. */
export function bare(status: number, row: Row, view: View, more?: ResponseHeaders): HttpResponse {
  return { status, headers: Object.assign(validators(row, view), more), body: null };
}

/** The answer to a write of a row that the principal may not read any more: nothing of it is shown. */
export function unseen(status: 201 | 204, more: ResponseHeaders = {}): HttpResponse {
  return { status, headers: { "preference-applied": "return=minimal", ...more }, body: null };
}

function validators(row: Row, view: View): ResponseHeaders {
  const etag = strongTag(row._version, view.tag);
  return row._updatedAt ? { etag, "last-modified": formatHttpDate(row._updatedAt.getTime()) } : { etag };
}

/** The location of a row: a path with the mount, or an absolute URL if the service knows its own address. */
export function locationOf(resource: Resource, row: Row, { environment, request }: Context): string {
  const id = String(row[resource.id.name]);
  return `${environment.baseUrl ?? request.mount}/${resource.name}/${resource.idNames.length > 1 ? id : encodeURIComponent(id)}`;
}
