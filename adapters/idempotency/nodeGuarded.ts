import type { IncomingMessage } from "node:http";
import type { Found } from "../../src/auth/verifier.js";
import type { HttpRequest } from "../../src/http/message.js";
import type { GuardedRequest } from "../../src/idempotency/guardedRequest.js";
import { readAndPutBack } from "./readAndPutBack.js";

/** What the guard asks of a request on node:http. A body that nobody has read is put back. */
export function nodeGuarded(
  { method, path, query, headers, body }: HttpRequest,
  incoming: IncomingMessage,
  limitBytes: number,
  principal: () => Found | Promise<Found>,
): GuardedRequest {
  return {
    method,
    target: `${path}?${query}`,
    headers,
    principal,
    async body() {
      return body.kind === "stream" ? { kind: "bytes", bytes: await readAndPutBack(incoming, limitBytes) } : body;
    },
  };
}
