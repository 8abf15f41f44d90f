import type { HttpRequest, HttpResponse, ResponseHeaders } from "../http/message.js";
import type { Method, Operation } from "../operation/operation.js";
import type { Pipeline } from "./handle.js";
import type { Match } from "./router.js";

/** What every answer carries, and the difference between GET and HEAD. */
export function finish(
  { vary }: Pipeline,
  match: Match | undefined,
  request: HttpRequest,
  requestId: string,
  response: HttpResponse,
  closing: boolean,
): HttpResponse {
  const headers = response.headers as ResponseHeaders;
  const isOpen = vary === undefined || match?.endpoint.isOpen === true;
  headers["x-request-id"] = requestId;
  headers["cache-control"] ??= isOpen ? "no-cache" : "private, no-cache";
  if (match?.endpoint.varies === true) addVary(headers, operationOf(match, request)?.vary);
  if (!isOpen) addVary(headers, vary);
  // A connection that stays would keep the host from ending.
  if (closing) headers["connection"] = "close";
  const { body } = response;
  if (typeof body === "string") headers["content-length"] = String(Buffer.byteLength(body));
  else if (body instanceof Uint8Array) headers["content-length"] = String(body.byteLength);
  return request.method === "HEAD" && body !== null ? { status: response.status, headers, body: null } : response;
}

function operationOf({ endpoint }: Match, { method }: HttpRequest): Operation | undefined {
  return endpoint.operations.get((method === "HEAD" ? "GET" : method) as Method);
}

function addVary(headers: ResponseHeaders, name: string | undefined): void {
  if (name !== undefined) headers["vary"] = headers["vary"] === undefined ? name : `${String(headers["vary"])}, ${name}`;
}
