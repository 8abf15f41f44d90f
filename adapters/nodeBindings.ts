import type { IncomingMessage, ServerResponse } from "node:http";

/** The Node request and response, which `@hono/node-server` passes with the request. */
export function nodeBindings(bindings: unknown): { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse } {
  return typeof bindings === "object" && bindings !== null ? bindings : {};
}
