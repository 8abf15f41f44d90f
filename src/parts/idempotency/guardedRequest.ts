import { randomUUID } from "node:crypto";
import { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { RawHeaders } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "../auth/checkedPrincipal.js";
import type { Found } from "../auth/verifier.js";
import { ownerId, recordId } from "./fingerprint.js";
import type { GuardOptions } from "./guardOptions.js";
import { keyRequired, parseIdempotencyKey } from "./key.js";
import type { KeyedRequest } from "./performIdempotent.js";
import { type ReadBody, requestFingerprint } from "./requestFingerprint.js";

/** A request to a handler of the developer. */
export interface GuardedRequest {
  readonly method: string;
  /** Path and raw query as the client sent them, including the mount. */
  readonly target: string;
  readonly headers: RawHeaders;
  /** The principal; `null` or `undefined` for none. Called only if there is a key. */
  principal(): Found | Promise<Found>;
  /** Reads the body. Called only if there is a key, and once. @throws {ProblemError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT */
  body(): Promise<ReadBody>;
}

const guardedMethods: ReadonlySet<string> = new Set(["POST", "PATCH", "PUT", "DELETE"]);

/**
 * The key, owner and fingerprint of a request; `undefined` if the key does not apply.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REQUIRED, REPEATED_HEADER, UNAUTHENTICATED, and whatever reading the body throws
 * @throws {ConfigurationError} for a principal with an empty id or tenant
 */
export async function readKeyed(
  request: GuardedRequest,
  { required = false, anonymous = "shared", challenge = "Bearer" }: GuardOptions,
): Promise<KeyedRequest | undefined> {
  if (!guardedMethods.has(request.method) || !(required || hasKey(request.headers))) return undefined;
  const headers = new RequestHeaders(request.headers);
  const header = headers.get("idempotency-key");
  if (header === undefined) throw keyRequired();
  const key = parseIdempotencyKey(header);
  const found = await request.principal();
  // An empty id stands for callers without credentials.
  const principal = found && checkedPrincipal(found, `"principal"`);
  if (!principal && anonymous === "refuse") {
    const detail = "Callers without credentials may not use an Idempotency-Key.";
    throw new ProblemError("UNAUTHENTICATED", detail, { headers: { "www-authenticate": challenge } });
  }
  const { method, target } = request;
  return {
    id: principal ? recordId(principal.tenant, principal.id, key) : recordId(undefined, "", key),
    fingerprint: requestFingerprint({ method, target, headers, body: await request.body() }),
    owner: principal ? ownerId(principal.tenant, principal.id) : ownerId(undefined, ""),
    scopes: principal?.scopes,
    operationId: randomUUID(),
  };
}

/** A request without a key must not fail because of its other headers. */
function hasKey(headers: RawHeaders): boolean {
  return headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === "idempotency-key");
}
