import { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { type MethodOverride, parseMethodOverride } from "../../../ground/http/headers/methodOverride.js";
import type { HttpRequest, HttpResponse } from "../../../ground/http/message.js";
import { ProblemError, problemAt } from "../../../ground/problem/index.js";
import { unauthenticated } from "../../../parts/auth/authenticate.js";
import { authRequestOf } from "../../../parts/auth/authRequest.js";
import type { AuthRequest, SignedBody } from "../../../parts/auth/verifier.js";
import type { Environment } from "../../operation/environment.js";
import type { Operation } from "../../operation/operation.js";
import type { Inherited } from "../../operation/references/inherited.js";
import type { Match } from "../router.js";
import { readBytes } from "./body.js";
import { notServed } from "./notServed.js";
import { findOperation } from "./override.js";
import type { Arrival, Pipeline } from "./pipeline.js";

/** A request whose operation is known. */
export interface Entered {
  readonly pipeline: Pipeline;
  readonly environment: Environment;
  readonly sent: HttpRequest;
  readonly arrival: Arrival;
  /** Set for an operation of a batch, which has no credentials of its own. */
  readonly inherited: Inherited | undefined;
  readonly match: Match;
  readonly headers: RequestHeaders;
  readonly override: MethodOverride | undefined;
  readonly operation: Operation;
  /** The body, if a verifier compares it with a signature. */
  readonly signed: SignedBody | undefined;
  readonly authRequest: AuthRequest;
}

/**
 * Finds the operation of a request by its path, its method and the headers that frame it.
 *
 * @returns the answer to OPTIONS, which has no operation
 * @throws {ProblemError} URI_TOO_LONG, NOT_FOUND, METHOD_NOT_ALLOWED, REPEATED_HEADER, TRANSFER_CODING_UNSUPPORTED
 */
export function enter(pipeline: Pipeline, sent: HttpRequest, arrival: Arrival, inherited: Inherited | undefined): Entered | HttpResponse {
  const { match, address } = arrival;
  const environment = inherited?.environment ?? pipeline.environment;
  requireShortTarget(sent, environment.limits.targetBytes);
  if (match === undefined) throw notServed(pipeline.router, sent);
  const { endpoint } = match;
  const headers = new RequestHeaders(sent.headers);
  requireKnownFraming(headers);
  if (sent.method === "OPTIONS") return { status: 204, headers: { allow: endpoint.allow, ...endpoint.optionsHeaders }, body: null };
  const override = parseMethodOverride(sent.method, sent.query, headers);
  const operation = findOperation(endpoint, sent.method, headers, override);
  const signed = pipeline.openBody?.({
    request: sent,
    headers,
    isStreamed: operation.body?.receive !== undefined || operation.readsBody === true,
    read: (arrived) => readBytes(arrived, headers, operation.body ?? { limitBytes: environment.limits.jsonBodyBytes }, environment),
    refuse: () => unauthenticated(environment.verifiers, authRequest),
  });
  const authRequest: AuthRequest = authRequestOf(sent, headers, address, signed);
  return { pipeline, environment, sent, arrival, inherited, match, headers, override, operation, signed, authRequest };
}

/** Refuses other transfer codings: hosts treat `gzip, chunked` as chunked and provide bytes that are still compressed. @see RFC 9112 §6.1 */
function requireKnownFraming(headers: RequestHeaders): void {
  const coding = headers.get("transfer-encoding");
  if (coding === undefined || coding.trim().toLowerCase() === "chunked") return;
  const detail = `The transfer coding "${coding.slice(0, 64)}" is not supported; allowed: chunked.`;
  throw problemAt("TRANSFER_CODING_UNSUPPORTED", detail, { header: "Transfer-Encoding" }, { headers: { connection: "close" } });
}

function requireShortTarget({ mount, path, query }: HttpRequest, limitBytes: number): void {
  const length = mount.length + path.length + query.length + 1;
  if (length <= limitBytes) return;
  throw new ProblemError("URI_TOO_LONG", `The request target is longer than ${limitBytes} bytes.`, { extensions: { maximum: limitBytes } });
}
