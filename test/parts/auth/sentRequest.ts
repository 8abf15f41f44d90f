import type { Operation } from "../../../src/engine/operation/operation.js";
import { readBytes } from "../../../src/engine/service/pipeline/body.js";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import type { HttpRequest, RequestBody } from "../../../src/ground/http/message.js";
import { splitTarget } from "../../../src/ground/http/target.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { authRequestOf } from "../../../src/parts/auth/authRequest.js";
import { signedBody } from "../../../src/parts/auth/signedBody.js";
import type { AuthRequest, SignedBody } from "../../../src/parts/auth/verifier.js";

/** A request as it is on the wire. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  readonly body?: string | RequestBody | undefined;
}

/** What a route does with its body, unless it reads it whole. */
export type RouteKind = Partial<Pick<Operation, "body" | "readsBody">>;

/** A request as the service passes it to verifiers, and what it makes of the body. */
export function sentRequest(
  { method, target, headers, body = "" }: WireRequest,
  route: RouteKind = {},
): { request: AuthRequest; signed: SignedBody } {
  const { path, query } = splitTarget(target);
  const bytes: RequestBody = body === "" ? { kind: "none" } : typeof body === "string" ? { kind: "bytes", bytes: Buffer.from(body) } : body;
  const sent: HttpRequest = { method, path, query, mount: "", headers, body: bytes, signal: new AbortController().signal, native: undefined };
  const fields = new RequestHeaders(headers);
  const parts = { limits: defaultLimits, timers: systemTimers };
  const signed = signedBody({
    request: sent,
    headers: fields,
    isStreamed: route.body?.receive !== undefined || route.readsBody === true,
    read: (request) => readBytes(request, fields, route.body ?? { limitBytes: defaultLimits.jsonBodyBytes }, parts),
    refuse: () => new ProblemError("UNAUTHENTICATED", "Valid credentials are needed."),
  });
  return { request: authRequestOf(sent, new RequestHeaders(headers), undefined, signed), signed };
}
