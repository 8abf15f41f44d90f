import type { HttpRequest } from "./message.js";

/**
 * The same request with some members changed. Spreading it would create its signal, which hosts do only when it is read.
 *
 * @example
 * withChanges(request, { body: { kind: "bytes", bytes } });
 */
export function withChanges(request: HttpRequest, changes: Partial<Pick<HttpRequest, "method" | "query" | "headers" | "body">>): HttpRequest {
  const { method, path, query, mount, headers, body, address, native } = request;
  return {
    method,
    path,
    query,
    mount,
    headers,
    body,
    address,
    native,
    ...changes,
    get signal() {
      return request.signal;
    },
  };
}
