import type { HttpRequest, HttpResponse, ResponseHeaders } from "../http/message.js";
import type { Environment } from "../operation/environment.js";

/** What every answer carries, and the difference between GET and HEAD. */
export function finish({ verifiers }: Environment, request: HttpRequest, requestId: string, response: HttpResponse): HttpResponse {
  const headers = response.headers as ResponseHeaders;
  headers["x-request-id"] = requestId;
  headers["cache-control"] ??= verifiers.length > 0 ? "private, no-cache" : "no-cache";
  if (verifiers.length > 0) headers["vary"] = headers["vary"] === undefined ? "Authorization" : `${String(headers["vary"])}, Authorization`;
  const { body } = response;
  if (typeof body === "string") headers["content-length"] = String(Buffer.byteLength(body));
  else if (body instanceof Uint8Array) headers["content-length"] = String(body.byteLength);
  return request.method === "HEAD" && body !== null ? { status: response.status, headers, body: null } : response;
}
