import { authenticate, unauthenticated } from "../auth/authenticate.js";
import { type AuthRequest, anonymous, type Principal } from "../auth/verifier.js";
import { standsAlone } from "../batch/suboperations.js";
import { RequestHeaders } from "../http/headers.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import { readRequestId } from "../http/requestId.js";
import { decodeSegment } from "../http/target.js";
import type { Context, RunningJob } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { Method, Operation } from "../operation/operation.js";
import { permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import { readBodyValue, requireBodyRule } from "./body.js";
import { failure } from "./failure.js";
import { finish } from "./finish.js";
import { keyIdOf, type OnceKey, partKey, readKey, runOnce } from "./once.js";
import type { Endpoint, Match, Router } from "./router.js";
import type { Start } from "./start.js";

/** All that a request passes through; fixed, so that no order of steps can be wrong. */
export interface Pipeline {
  readonly environment: Environment;
  readonly router: Router;
  readonly start: Start;
  readonly anonymousAllowed: boolean;
  /** Whether callers without credentials may use an Idempotency-Key. */
  readonly anonymousKeys: boolean;
  /** Names of the headers that credentials came in; `undefined` where there are none to come. */
  readonly vary: string | undefined;
  readonly notFoundProblem: boolean;
}

/** The life of a request: match, pipeline, operation, finish. `undefined` where the path is none of ours. */
export async function answer(pipeline: Pipeline, request: HttpRequest, isClosing: () => boolean): Promise<HttpResponse | undefined> {
  const match = pipeline.router.match(request.path);
  if (match === undefined && !pipeline.notFoundProblem) return undefined;
  const requestId = readRequestId(request.headers, pipeline.environment.ids.uuid);
  let response: HttpResponse;
  try {
    if (isClosing()) throw new ProblemError("SHUTTING_DOWN", "The service is shutting down.", { headers: { "retry-after": "5" } });
    response = await run(pipeline, request, requestId, match);
  } catch (error) {
    response = failure(pipeline.environment, request, requestId, error);
  }
  return finish(pipeline, match, request, requestId, response, isClosing());
}

/** What an operation of a batch has from the request that it came in. */
export interface Inherited {
  readonly principal: Principal;
  /** That of the batch's transaction, where it is atomic. */
  readonly environment: Environment;
  /** Of the operation itself, where the batch is done once. */
  readonly operationId: string | undefined;
  /** The job that a request goes on as, its principal being the one that asked for it. */
  readonly job?: RunningJob | undefined;
}

/**
 * The fixed order of steps. What may not be known to a stranger comes after authentication, what costs memory after permission.
 *
 * @param inherited by an operation of a batch, which brings no credentials of its own
 */
export async function run(
  pipeline: Pipeline,
  request: HttpRequest,
  requestId: string,
  match: Match | undefined,
  inherited?: Inherited,
): Promise<HttpResponse> {
  const environment = inherited?.environment ?? pipeline.environment;
  requireShortTarget(request, environment.limits.targetBytes);
  if (match === undefined) throw new ProblemError("NOT_FOUND", "There is nothing at this path.");
  const { endpoint } = match;
  if (request.method === "OPTIONS") return { status: 204, headers: { allow: endpoint.allow, ...endpoint.optionsHeaders }, body: null };
  const operation = findOperation(endpoint, request.method);
  if (operation.standsAlone && inherited !== undefined && inherited.job === undefined) throw standsAlone(request.method, request.path);
  const headers = new RequestHeaders(request.headers);
  const { method, path, query, address, native } = request;
  const authRequest: AuthRequest = { method, path, query, headers, address, native };
  const isOpen = operation.access === undefined || operation.isSigned?.(authRequest) === true;
  const principal = inherited?.principal ?? (isOpen ? anonymous : await identify(pipeline, authRequest));
  // Here the rate limiter charges the principal: each operation of a batch comes by.
  const { action, collection } = operation.access ?? {};
  const allowed =
    action === undefined || collection === undefined || environment.authorize === undefined
      ? everything
      : await permit(environment, { principal, authRequest, action, collection });
  const params = match.params.map(decodeSegment);
  const receive = operation.body?.receive;
  if (operation.body && operation.body.judgesItself !== true) requireBodyRule(request, headers, operation.body, endpoint);
  const sender = { headers, principal, authRequest };
  // A job is done once by its own means.
  const key = inherited?.job === undefined ? (readKey(pipeline, environment, operation, sender) ?? inheritedKey(inherited)) : undefined;
  const body = operation.body && receive === undefined ? await readBodyValue(request, headers, operation.body, { environment, endpoint }) : undefined;
  if (!pipeline.start.done && (operation.access !== undefined || operation.usesStorage)) await pipeline.start.run();
  const context: Context = { environment, request, headers, requestId, params, principal, permit: allowed, body, authRequest, joins: none };
  if (inherited?.job !== undefined) return operation.run({ ...context, ...inherited, insertsUnderOperationId: true });
  const once = (whole: Context) => (key === undefined ? operation.run(whole) : runOnce(operation, whole, key));
  return receive === undefined ? once(context) : receiving(receive, { ...context, keyId: key && keyIdOf(principal, key) }, once);
}

/** Runs what takes its body as it comes, and lets go of a body that was not kept. */
async function receiving(
  receive: NonNullable<NonNullable<Operation["body"]>["receive"]>,
  context: Context,
  once: (context: Context) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const received = await receive(context);
  let isKnown = true;
  try {
    return await once({ ...context, received });
  } catch (error) {
    // Whether something was committed before nobody knows: whoever clears up finds out.
    isKnown = error instanceof ProblemError && error.status < 500;
    throw error;
  } finally {
    if (isKnown) await received.release();
  }
}

/** What is read is remembered, too: others may have been made of it. */
function inheritedKey(inherited: Inherited | undefined): OnceKey | undefined {
  return inherited?.operationId === undefined ? undefined : partKey(inherited.operationId);
}

const none: Context["joins"] = [];

const everything = { fields: undefined };

async function identify(pipeline: Pipeline, request: AuthRequest): Promise<Principal> {
  const { verifiers } = pipeline.environment;
  const principal = verifiers.length === 0 ? undefined : await authenticate(verifiers, request);
  if (principal !== undefined) return principal;
  if (pipeline.anonymousAllowed) return anonymous;
  throw unauthenticated(verifiers, request);
}

function findOperation(endpoint: Endpoint, method: string): Operation {
  const operation = endpoint.operations.get((method === "HEAD" ? "GET" : method) as Method);
  if (operation !== undefined) return operation;
  throw new ProblemError("METHOD_NOT_ALLOWED", `${method.slice(0, 32)} is not allowed here; allowed: ${endpoint.allow}.`, {
    headers: { allow: endpoint.allow },
    extensions: { allowed: endpoint.allow.split(", ") },
  });
}

function requireShortTarget({ mount, path, query }: HttpRequest, limitBytes: number): void {
  const length = mount.length + path.length + query.length + 1;
  if (length <= limitBytes) return;
  throw new ProblemError("URI_TOO_LONG", `The request target is longer than ${limitBytes} bytes.`, { extensions: { maximum: limitBytes } });
}
