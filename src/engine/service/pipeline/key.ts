import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { type ProblemError, problemAt } from "../../../ground/problem/problem.js";
import { unauthenticated } from "../../../parts/auth/authenticate.js";
import { type AuthRequest, anonymous, type Principal } from "../../../parts/auth/verifier.js";
import { recordId } from "../../../parts/idempotency/fingerprint.js";
import { keyRequired, parseIdempotencyKey } from "../../../parts/idempotency/key.js";
import type { Environment } from "../../operation/environment.js";
import { type Operation, takesKey } from "../../operation/operation.js";
import type { Pipeline } from "./pipeline.js";

/** The sender of a request, and its headers. */
interface Sender {
  readonly headers: RequestHeaders;
  readonly principal: Principal;
  readonly authRequest: AuthRequest;
  /** The request is an operation of a batch that has a key itself. */
  readonly isPartOfKeyed: boolean;
}

/**
 * Reads the key of a request that writes; `undefined` if there is none or keys are ignored.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REQUIRED, NOT_SUPPORTED if keys are not recorded, UNAUTHENTICATED if callers
 * without credentials may not use them
 */
export function readKey(
  { anonymousKeys, environment: { idempotency }, ignoresKeys }: Pipeline,
  environment: Environment,
  operation: Operation,
  { headers, principal, authRequest, isPartOfKeyed }: Sender,
): IdempotentKey | undefined {
  if (!takesKey(operation) || ignoresKeys) return undefined;
  const header = headers.get("idempotency-key");
  if (idempotency === undefined && header !== undefined) throw keysUnsupported();
  if (environment.idempotency === undefined) return undefined;
  if (header === undefined) {
    if (operation.requiresKey === true && !isPartOfKeyed) throw keyRequired();
    return undefined;
  }
  const key = parseIdempotencyKey(header);
  if (principal === anonymous && !anonymousKeys) throw unauthenticated(environment.verifiers, authRequest);
  return { key };
}

/** A client that sends a key relies on it. If the key were ignored, each attempt would run the operation again. */
function keysUnsupported(): ProblemError {
  const detail = "The storage of this service keeps no records of Idempotency-Keys. Send the request without one; a repetition is then done again.";
  return problemAt("NOT_SUPPORTED", detail, { header: "Idempotency-Key" });
}

/** The key that all attempts of one operation share. */
export interface IdempotentKey {
  /** The client's key, or one that no client can send. */
  readonly key: string;
  /** Id of the operation, if it is already known. */
  readonly operationId?: string | undefined;
  /** How long to wait for a running attempt, in milliseconds, if it differs from the default. */
  readonly waitMs?: number | undefined;
}

/** Longer than any lease: an operation of a batch competes only with an earlier attempt of the same batch, whose process may have died. */
const partWaitMs = 600_000;

/** The key of an operation within a batch that has a key. It contains a space, which a client's key cannot contain. */
export function partKey(operationId: string): IdempotentKey {
  return { key: `part ${operationId}`, operationId, waitMs: partWaitMs };
}

/** Identifies the key together with its principal. */
export function keyIdOf({ tenant, id }: Principal, { key }: IdempotentKey): string {
  return recordId(tenant, id, key);
}
