import type { IncomingMessage, ServerResponse } from "node:http";
import { isStream } from "../../src/ground/http/endingBody.js";
import type { HttpResponse } from "../../src/ground/http/message.js";

/** The Node request and response, which `@hono/node-server` passes with the request. */
export function nodeBindings(bindings: unknown): { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse } {
  return typeof bindings === "object" && bindings !== null ? bindings : {};
}

/**
 * The answer without `Content-Length` if its body is text or bytes: `@hono/node-server` sets the length of these itself, and until 1.19.10 it sends it beside another one, which
 * clients refuse. The length of a stream, and of the body that HEAD leaves out, stays.
 */
export function withoutOwnLength(answer: HttpResponse): HttpResponse {
  const { status, headers, body } = answer;
  if (body === null || isStream(body) || !("content-length" in headers)) return answer;
  const { "content-length": _, ...others } = headers;
  return { status, headers: others, body };
}
