import type { Context } from "hono";
import type { Found } from "../../src/auth/verifier.js";
import { readBody } from "../../src/http/body.js";
import type { HttpRequest } from "../../src/http/message.js";
import { splitTarget } from "../../src/http/target.js";
import { systemTimers } from "../../src/http/timers.js";
import type { GuardedRequest } from "../../src/idempotency/guardedRequest.js";
import type { ReadBody } from "../../src/idempotency/requestFingerprint.js";
import { defaultLimits } from "../../src/limits/limits.js";
import { fetchBody, fetchRequest } from "../fetchMessage.js";
import { nodeBindings } from "../nodeBindings.js";
import { nodeRequest } from "../nodeMessage.js";
import { honoBody } from "./honoBody.js";

/** What the guard asks of a request on Hono. A body that nobody has read is read, and a request with its bytes takes the place of the first. */
export function honoGuarded(context: Context, limitBytes: number, principal: () => Found | Promise<Found>): GuardedRequest {
  const { raw } = context.req;
  const request = honoRequest(context);
  return {
    method: raw.method,
    target: `${request.path}?${request.query}`,
    headers: request.headers,
    principal,
    async body(): Promise<ReadBody> {
      if (raw.bodyUsed) return honoBody(context);
      if (request.body.kind !== "stream") return request.body;
      const contentLength = raw.headers.get("content-length") ?? undefined;
      const bytes = await readBody(request, { limitBytes, stallMs: defaultLimits.bodyStallMs, timers: systemTimers, contentLength });
      const { method, headers, signal } = raw;
      // A body is never a view of shared memory, which is all that the narrower type leaves out.
      context.req.raw = new Request(raw.url, { method, headers, signal, body: bytes as Uint8Array<ArrayBuffer> });
      return { kind: "bytes", bytes };
    },
  };
}

function honoRequest(context: Context): HttpRequest {
  const { raw } = context.req;
  const { incoming, outgoing } = nodeBindings(context.env);
  const place = { ...splitTarget(incoming?.url ?? raw.url), mount: "" };
  if (incoming && outgoing) return nodeRequest({ incoming, outgoing, native: context }, place);
  return fetchRequest(raw, place, fetchBody(raw), context);
}
