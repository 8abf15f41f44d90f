import { unauthenticated } from "../auth/authenticate.js";
import { type AuthRequest, anonymous, type Principal } from "../auth/verifier.js";
import type { RequestHeaders } from "../http/headers.js";
import type { HttpResponse } from "../http/message.js";
import { recordId } from "../idempotency/fingerprint.js";
import { parseIdempotencyKey } from "../idempotency/key.js";
import { type HeldOperation, performOnce } from "../idempotency/performOnce.js";
import { requestFingerprint } from "../idempotency/requestFingerprint.js";
import { sealedRecords } from "../idempotency/sealedRecords.js";
import type { Join } from "../operation/commit.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import { secretBoxOf } from "../secrets/secretBox.js";
import type { IdempotencyStore } from "../storage/idempotency.js";
import { failure } from "./failure.js";
import type { Pipeline } from "./handle.js";

/** Who sends a request, and with which headers. */
interface Sender {
  readonly headers: RequestHeaders;
  readonly principal: Principal;
  readonly authRequest: AuthRequest;
}

/**
 * The key of a request that writes; `undefined` where there is none, or it plays no part.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REQUIRED, UNAUTHENTICATED where callers without credentials may not use keys
 */
export function readKey(
  { anonymousKeys }: Pipeline,
  environment: Environment,
  operation: Operation,
  { headers, principal, authRequest }: Sender,
): OnceKey | undefined {
  if (operation.safety === "safe" || environment.idempotency === undefined) return undefined;
  const header = headers.get("idempotency-key");
  if (header === undefined) {
    if (operation.requiresKey !== true) return undefined;
    const detail = "This operation needs an Idempotency-Key.";
    throw new ProblemError("IDEMPOTENCY_KEY_REQUIRED", detail, { errors: [{ code: "IDEMPOTENCY_KEY_REQUIRED", detail, header: "Idempotency-Key" }] });
  }
  const key = parseIdempotencyKey(header);
  if (principal === anonymous && !anonymousKeys) throw unauthenticated(environment.verifiers, authRequest);
  return { key };
}

/** What requests that are one operation have in common. */
export interface OnceKey {
  /** The client's, or one that no client can send. */
  readonly key: string;
  /** Of the operation, where it is known already. */
  readonly operationId?: string | undefined;
  /** How long to wait for a try that is under way, where it is not the usual time. */
  readonly waitMs?: number | undefined;
}

/** Longer than any lease: an operation of a batch has no rivals but an earlier try of the same batch, which may have died. */
const partWaitMs = 600_000;

/** The key of an operation of a batch that is done once itself. A blank stands in no client's key. */
export function partKey(operationId: string): OnceKey {
  return { key: `part ${operationId}`, operationId, waitMs: partWaitMs };
}

/** Tells the key of a principal from all others. */
export function keyIdOf({ tenant, id }: Principal, { key }: OnceKey): string {
  return recordId(tenant, id, key);
}

/** Runs the operation once for all requests with the key. */
export function runOnce(operation: Operation, context: Context, { key, operationId, waitMs }: OnceKey): Promise<HttpResponse> {
  const { environment, request, principal, requestId } = context;
  const { idempotency, ids, logger } = environment;
  if (idempotency === undefined) return operation.run({ ...context, operationId, insertsUnderOperationId: operationId !== undefined });
  const keyed = {
    id: keyIdOf(principal, { key }),
    // The body holds a secret: without a key nobody can try which.
    fingerprint: operation.secretAnswer ? environment.secrets.sign("fingerprint", fingerprintOf(context)) : fingerprintOf(context),
    scopes: principal.scopes,
    operationId: operationId ?? ids.ulid(),
  };
  const { leaseMs = idempotency.leaseMs, ttlMs = idempotency.ttlMs } = operation.keyTimes?.(context) ?? {};
  return performOnce(
    {
      ...idempotency,
      store: operation.secretAnswer ? sealed(context, idempotency.store) : idempotency.store,
      leaseMs: Math.max(leaseMs, idempotency.leaseMs),
      ttlMs: Math.max(ttlMs, idempotency.ttlMs),
      waitMs: waitMs ?? idempotency.waitMs,
    },
    keyed,
    {
      run: (held) =>
        operation.run({ ...context, operationId: held.operationId, ...joining(operation, context, idempotency.sharesTransactions, held) }),
      isRefusal,
      answerTo: (error) => (isOutcome(error) ? failure(environment, request, requestId, error) : undefined),
      warn: (error, message) => logger.error({ err: error, requestId }, message),
    },
    environment,
  );
}

/** The record commits with the write where it can; elsewhere the store takes what is inserted under one operation's id only once. */
function joining(
  operation: Operation,
  context: Context,
  sharesTransactions: boolean,
  held: HeldOperation,
): Pick<Context, "joins" | "insertsUnderOperationId"> {
  if (!sharesTransactions) return { joins: [], insertsUnderOperationId: true };
  const join: Join = async (tx, response) => {
    if (tx.idempotency === undefined) throw new Error("The storage keeps records, but its transactions do not.");
    await held.record(operation.secretAnswer ? sealed(context, tx.idempotency) : tx.idempotency, response);
  };
  return { joins: [join] };
}

/** Problems of 5xx that say that nothing was done, beside all below. */
const harmless: ReadonlySet<string> = new Set(["ATOMIC_UNSUPPORTED", "NOT_PROCESSED"]);

/** Whether an error says that nothing was done: then the key may be used for another request. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && (error.status < 500 || harmless.has(error.code));
}

function sealed({ environment }: Context, store: IdempotencyStore): IdempotencyStore {
  return sealedRecords(store, secretBoxOf(environment.secrets));
}

/** Errors that the operation itself ended in: trying again would end in the same, or in something else for another reason. */
function isOutcome(error: unknown): boolean {
  return error instanceof ProblemError && error.code.startsWith("DUPLICATE_");
}

function fingerprintOf({ request, headers, body: parsed, received }: Context): string {
  const body = received?.fingerprint ?? parsed;
  const target = `${request.mount}${request.path}?${request.query}`;
  return requestFingerprint({
    method: request.method,
    target,
    headers,
    body: body === undefined ? { kind: "none" } : { kind: "parsed", value: body },
  });
}
