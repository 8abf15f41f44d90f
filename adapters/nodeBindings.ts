import type { IncomingMessage, ServerResponse } from "node:http";

/** The halves of the Node exchange, which `@hono/node-server` hands over beside the request. */
export function nodeBindings(bindings: unknown): { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse } {
  return typeof bindings === "object" && bindings !== null ? bindings : {};
}
