import { createHash } from "node:crypto";
import type { Context } from "hono";
import { readBody } from "../../../src/ground/http/body/body.js";
import { fetchBody, fetchRequest } from "../../../src/ground/http/fetchMessage.js";
import type { HttpRequest } from "../../../src/ground/http/message.js";
import { splitTarget } from "../../../src/ground/http/target.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { bodyPace } from "../../../src/ground/limits/bodyPace.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import type { Found } from "../../../src/parts/auth/verifier.js";
import type { GuardedRequest } from "../../../src/parts/idempotency/guardedRequest.js";
import type { ReadBody } from "../../../src/parts/idempotency/requestFingerprint.js";
import { nodeBindings } from "../nodeBindings.js";
import { nodeRequest } from "../nodeMessage.js";

/** The request of Hono for the guard. If the body was not read yet, reads it and replaces the request with one that has its bytes. */
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
      const bytes = await readBody(request, { limitBytes, ...bodyPace(defaultLimits), timers: systemTimers, contentLength });
      const { method, headers, signal } = raw;
      // A body is never in shared memory, which is all that the narrower type excludes.
      context.req.raw = new Request(raw.url, { method, headers, signal, body: bytes as Uint8Array<ArrayBuffer> });
      return { kind: "bytes", bytes };
    },
  };
}

function honoRequest(context: Context): HttpRequest {
  const { raw } = context.req;
  const { incoming, outgoing } = nodeBindings(context.env);
  const target = { ...splitTarget(incoming?.url ?? raw.url), mount: "" };
  if (incoming && outgoing) return nodeRequest({ incoming, outgoing, native: context }, target);
  return fetchRequest(raw, target, fetchBody(raw), context);
}

/** A body that earlier middleware read through Hono's request, which caches it. */
async function honoBody({ req }: Context): Promise<ReadBody> {
  const type = req.header("Content-Type")?.toLowerCase() ?? "";
  // Hono would serialise a form that was read before with a new boundary each time, so that its bytes differ.
  if (type.startsWith("multipart/form-data") || type.startsWith("application/x-www-form-urlencoded")) {
    return { kind: "parsed", value: await Promise.all(Array.from(await req.formData(), ([name, value]) => formEntry(name, value))) };
  }
  return { kind: "bytes", bytes: new Uint8Array(await req.arrayBuffer()) };
}

async function formEntry(name: string, value: string | File): Promise<readonly string[]> {
  if (typeof value === "string") return [name, value];
  const digest = createHash("sha256").update(new Uint8Array(await value.arrayBuffer()));
  return [name, value.name, value.type, digest.digest("base64")];
}
