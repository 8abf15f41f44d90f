import { authenticate, unauthenticated } from "../auth/authenticate.js";
import { type AuthRequest, anonymous, type Principal } from "../auth/verifier.js";
import { RequestHeaders } from "../http/headers.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import { type MethodOverride, parseMethodOverride } from "../http/methodOverride.js";
import { readRequestId } from "../http/requestId.js";
import { decodeSegment } from "../http/target.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import { failure } from "../operation/failure.js";
import type { Method, Operation, QueryContext } from "../operation/operation.js";
import { permit } from "../operation/permit.js";
import type { Inherited } from "../operation/references/inherited.js";
import { ProblemError } from "../problem/index.js";
import { refuseParameters } from "../query/grammar/refuseParameters.js";
import type { Resource } from "../resource/resource.js";
import { readBodyValue, requireBodyRule } from "./body.js";
import { finish } from "./finish.js";
import { type IdempotentKey, keyIdOf, partKey, readKey, runIdempotent } from "./idempotent.js";
import type { Endpoint, Match, Router } from "./router.js";
import type { Start } from "./start.js";

/** The fixed parts that every request uses. */
export interface Pipeline {
  readonly environment: Environment;
  readonly router: Router;
  readonly resources: readonly Resource[];
  readonly start: Start;
  readonly anonymousAllowed: boolean;
  /** Whether callers without credentials may use an Idempotency-Key. */
  readonly anonymousKeys: boolean;
  /** The developer has disabled Idempotency-Keys. */
  readonly ignoresKeys: boolean;
  /** Names of the headers that carry credentials; `undefined` if there are no verifiers. */
  readonly vary: string | undefined;
  readonly notFoundProblem: boolean;
}

/** Handles a request: match, pipeline, operation, finish. Returns `undefined` for a path that this service does not serve. */
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

/**
 * Runs the steps in a fixed order. Steps that reveal private information come after authentication; steps that use memory come after permission.
 *
 * @param inherited set for an operation of a batch, which has no credentials of its own
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
  const headers = new RequestHeaders(request.headers);
  requireKnownFraming(headers);
  if (request.method === "OPTIONS") return { status: 204, headers: { allow: endpoint.allow, ...endpoint.optionsHeaders }, body: null };
  const override = parseMethodOverride(request.method, request.query, headers);
  const operation = findOperation(endpoint, request.method, override);
  const { method, path, address, native } = request;
  const authRequest: AuthRequest = { method, path, query: request.query, headers, address, native };
  const isOpen = operation.access === undefined || operation.isSigned?.(authRequest) === true;
  const identified = inherited?.principal ?? (isOpen ? anonymous : identify(pipeline, authRequest));
  // An await takes a turn even where there is nothing to wait for.
  const principal = identified instanceof Promise ? await identified : identified;
  if (override !== undefined && operation.takesOverride !== true) throw overrideForbidden(override);
  // A rate limiter in `authorize` counts here: each operation of a batch passes this point.
  const { action, collection } = operation.access ?? {};
  const allowed =
    action === undefined || collection === undefined || environment.authorize === undefined
      ? everything
      : await permit(environment, { principal, authRequest, action, collection });
  const asked = { environment, request, principal, permit: allowed, authRequest };
  const parsed = operation.readQuery === undefined ? refuseUnknown(operation, asked, inherited) : operation.readQuery(asked);
  const query = parsed instanceof Promise ? await parsed : parsed;
  const params = match.params.map(decodeSegment);
  const receive = operation.body?.receive;
  if (operation.body && operation.body.checksHeadersItself !== true) requireBodyRule(request, headers, operation.body, endpoint);
  const sender = { headers, principal, authRequest, isPartOfKeyed: inherited?.isKeyed === true };
  // A job has its own mechanism to run only once.
  const ownKey = inherited?.job === undefined ? readKey(pipeline, environment, operation, sender) : undefined;
  const key = inherited?.job === undefined ? (ownKey ?? inheritedKey(inherited)) : undefined;
  const isKeyed = ownKey !== undefined || inherited?.isKeyed === true;
  const read = operation.body && receive === undefined ? readBodyValue(request, headers, operation.body, { environment, endpoint }) : undefined;
  const body = read instanceof Promise ? await read : read;
  if (!pipeline.start.done && (operation.access !== undefined || operation.usesStorage)) await pipeline.start.run();
  const context: Context = {
    environment,
    request,
    headers,
    requestId,
    params,
    principal,
    permit: allowed,
    query,
    body,
    authRequest,
    isKeyed,
    joins: none,
  };
  if (inherited?.job !== undefined) return operation.run({ ...context, ...inherited, insertsUnderOperationId: true });
  const runKeyed = (whole: Context) => (key === undefined ? operation.run(whole) : runIdempotent(pipeline, operation, whole, key));
  return receive === undefined ? runKeyed(context) : receiving(receive, { ...context, keyId: key && keyIdOf(principal, key) }, runKeyed);
}

/** Runs an operation that receives its body as a stream, and releases a body that was not kept. */
async function receiving(
  receive: NonNullable<NonNullable<Operation["body"]>["receive"]>,
  context: Context,
  runKeyed: (context: Context) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const received = await receive(context);
  let isKnown = true;
  try {
    return await runKeyed({ ...context, received });
  } catch (error) {
    // After a fault it is unknown whether a write was committed, so the body is not released here; a later sweep decides.
    isKnown = error instanceof ProblemError && error.status < 500;
    throw error;
  } finally {
    if (isKnown) await received.release();
  }
}

/** Reads are recorded too: later operations may depend on their results. */
function inheritedKey(inherited: Inherited | undefined): IdempotentKey | undefined {
  return inherited?.operationId === undefined ? undefined : partKey(inherited.operationId);
}

const none: Context["joins"] = [];

const everything = { fields: undefined };

/** Refuses unknown parameters. A signed URL verifies its own parameters, and a stored request was checked when it arrived. */
function refuseUnknown({ isSigned }: Operation, { request, authRequest, environment }: QueryContext, inherited: Inherited | undefined): void {
  if (inherited?.job !== undefined || isSigned?.(authRequest) === true) return;
  refuseParameters(request.query, environment.lists.query);
}

function identify(pipeline: Pipeline, request: AuthRequest): Principal | Promise<Principal> {
  const { verifiers } = pipeline.environment;
  const allowed = (principal: Principal | undefined): Principal => {
    if (principal !== undefined) return principal;
    if (pipeline.anonymousAllowed) return anonymous;
    throw unauthenticated(verifiers, request);
  };
  return verifiers.length === 0 ? allowed(undefined) : authenticate(verifiers, request).then(allowed);
}

/** Finds the operation. A method override selects it; such a request never runs as the POST that was sent. */
function findOperation(endpoint: Endpoint, method: string, override: MethodOverride | undefined): Operation {
  const post = override?.isStandardHeader === true ? endpoint.operations.get("POST") : undefined;
  if (post?.takesOverride === true && override?.method === "PATCH") return post;
  const asked = override?.method ?? method;
  const operation = endpoint.operations.get((asked === "HEAD" ? "GET" : asked) as Method);
  if (operation !== undefined) return operation;
  throw new ProblemError("METHOD_NOT_ALLOWED", `${asked.slice(0, 32)} is not allowed here; allowed: ${endpoint.allow}.`, {
    headers: { allow: endpoint.allow },
    extensions: { allowed: endpoint.allow.split(", ") },
  });
}

function overrideForbidden({ method }: MethodOverride): ProblemError {
  return new ProblemError("METHOD_OVERRIDE_FORBIDDEN", `A POST cannot be run as ${method} here; send ${method} itself.`);
}

/** Refuses other transfer codings: hosts treat `gzip, chunked` as chunked and provide bytes that are still compressed. @see RFC 9112 §6.1 */
function requireKnownFraming(headers: RequestHeaders): void {
  const coding = headers.get("transfer-encoding");
  if (coding === undefined || coding.trim().toLowerCase() === "chunked") return;
  const detail = `The transfer coding "${coding.slice(0, 64)}" is not supported; allowed: chunked.`;
  throw new ProblemError("TRANSFER_CODING_UNSUPPORTED", detail, {
    headers: { connection: "close" },
    errors: [{ code: "TRANSFER_CODING_UNSUPPORTED", detail, header: "Transfer-Encoding" }],
  });
}

function requireShortTarget({ mount, path, query }: HttpRequest, limitBytes: number): void {
  const length = mount.length + path.length + query.length + 1;
  if (length <= limitBytes) return;
  throw new ProblemError("URI_TOO_LONG", `The request target is longer than ${limitBytes} bytes.`, { extensions: { maximum: limitBytes } });
}
