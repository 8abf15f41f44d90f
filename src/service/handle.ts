import { unauthenticated } from "../auth/authenticate.js";
import { authRequestOf } from "../auth/authRequest.js";
import { type AuthRequest, anonymous, type SignedBody, type Verifier } from "../auth/verifier.js";
import type { ApiVersions, ChosenVersion, CrossOrigin, OpenCapability } from "../capability/capability.js";
import { clientAddress } from "../http/address/clientAddress.js";
import { RequestHeaders } from "../http/headers.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import { parseMethodOverride, withMethod } from "../http/methodOverride.js";
import { readRequestId } from "../http/requestId.js";
import { decodeSegment } from "../http/target.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import { failure } from "../operation/failure.js";
import type { Operation, QueryContext } from "../operation/operation.js";
import { permit } from "../operation/permit.js";
import type { Inherited } from "../operation/references/inherited.js";
import type { RequestCount } from "../operation/requestCount.js";
import { isRefusal, ProblemError, problemAt } from "../problem/index.js";
import { refuseParameters } from "../query/grammar/refuseParameters.js";
import type { Resource } from "../resource/resource.js";
import { readBodyValue, readBytes, requireBodyRule } from "./body.js";
import { requireClientVersion } from "./clientVersion.js";
import { refuseCrossSite } from "./crossSite.js";
import { finish } from "./finish.js";
import { type IdempotentKey, keyIdOf, partKey, readKey, runIdempotent } from "./idempotent.js";
import { identify } from "./identify.js";
import { withLimitedStatus } from "./limitedStatus.js";
import { notServed } from "./notServed.js";
import type { ServiceOptions } from "./options.js";
import { findOperation, requireTrust } from "./override.js";
import type { Match, Router } from "./router.js";
import type { RuleLimit } from "./ruleLimit.js";
import type { Start } from "./start.js";
import { inTenant } from "./tenant.js";

/** The fixed parts that every request uses. */
export interface Pipeline {
  readonly environment: Environment;
  readonly router: Router;
  readonly resources: readonly Resource[];
  readonly start: Start;
  /** Whether callers without credentials may use an Idempotency-Key. */
  readonly anonymousKeys: boolean;
  /** The developer has disabled Idempotency-Keys. */
  readonly ignoresKeys: boolean;
  readonly verify: RuleLimit["verify"];
  /** Opens bodies for verifiers that check them; `undefined` if none does. */
  readonly openBody: Verifier["openBody"];
  /** Names of the headers that carry credentials; `undefined` if there are no verifiers. */
  readonly vary: string | undefined;
  readonly notFoundProblem: boolean;
  readonly limitRate: OpenCapability["limitRate"];
  readonly options: Partial<Pick<ServiceOptions, "tenant" | "trustMethodOverride" | "minimumClientVersion">>;
  /** Which pages of other origins may use the API; `undefined` if none may. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** The versions of the API; `undefined` if there is only one. */
  readonly versions: ApiVersions | undefined;
  /** The pipelines of the versions in which rows differ from the schemas. */
  readonly inVersion: ReadonlyMap<string, Pipeline>;
}

/** Handles a request: match, pipeline, operation, finish. Returns `undefined` for a path that this service does not serve. */
export async function answer(pipeline: Pipeline, request: HttpRequest, isClosing: () => boolean): Promise<HttpResponse | undefined> {
  const match = pipeline.router.match(request.path);
  if (match === undefined && !pipeline.notFoundProblem) return undefined;
  const requestId = readRequestId(request.headers, pipeline.environment.ids.uuid);
  const address = clientAddress(request.headers, request.address, pipeline.environment.trustedHops);
  const count = pipeline.limitRate?.(address);
  let response: HttpResponse;
  let version: ChosenVersion | undefined;
  try {
    if (isClosing()) throw shuttingDown();
    const chosen = match && pipeline.versions?.choose(request);
    const refusal = chosen instanceof ProblemError ? chosen : undefined;
    version = chosen instanceof ProblemError ? undefined : chosen;
    const served = version && pipeline.inVersion.get(version.name);
    const found = served?.router.match(request.path) ?? match;
    response = await run(served ?? pipeline, request, { requestId, match: found, address, count, json: version?.json, refusal });
  } catch (error) {
    response = failure(pipeline.environment, request, requestId, withLimitedStatus(match?.endpoint.limited, request, error));
  }
  count?.addHeaders(response.headers);
  const finished = finish(pipeline, match, request, requestId, response, isClosing());
  version?.addHeaders(finished, pipeline.environment.baseUrl ?? request.mount);
  return finished;
}

/** The refusal of a request or a call after the service has begun to close. */
export function shuttingDown(): ProblemError {
  return new ProblemError("SHUTTING_DOWN", "The service is shutting down.", { headers: { "retry-after": "5" } });
}

/** What is known of a request when it arrives. */
export interface Arrival {
  readonly requestId: string;
  /** The destination; `undefined` for a path that the service does not serve. */
  readonly match: Match | undefined;
  /** The client's address. */
  readonly address?: string | undefined;
  readonly count?: RequestCount | undefined;
  /** Media types of JSON for the answer, if not `application/json`. */
  readonly json?: readonly string[] | undefined;
  /** The version that it asks for does not exist. */
  readonly refusal?: ProblemError | undefined;
}

/**
 * Runs the steps in a fixed order. Steps that reveal private information come after authentication; steps that use memory come after permission.
 *
 * @param inherited set for an operation of a batch, which has no credentials of its own
 */
export async function run(
  pipeline: Pipeline,
  sent: HttpRequest,
  { requestId, match, address, count, json, refusal }: Arrival,
  inherited?: Inherited,
): Promise<HttpResponse> {
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
  const before = count?.beforeAuthentication(operation);
  // An await takes a turn even if there is nothing to wait for.
  if (before !== undefined) await before;
  const isOpen = environment.verifiers.length === 0 || operation.access === undefined || operation.isSigned?.(authRequest) === true;
  const identified =
    inherited?.principal ??
    (isOpen
      ? anonymous
      : identify(pipeline, operation.allowsAnonymous === true || environment.anonymousAllowed, authRequest, () =>
          count?.afterAuthentication(operation, undefined),
        ));
  let principal = identified instanceof Promise ? await identified : identified;
  let request = signed?.request ?? sent;
  if (override !== undefined && operation.takesOverride !== true) {
    await requireTrust(inherited === undefined ? pipeline.options.trustMethodOverride : undefined, authRequest, principal, override.method);
    request = withMethod(request, operation.method);
  }
  const counted = inherited === undefined ? count?.afterAuthentication(operation, principal) : inherited.count?.items(operation, 1);
  if (counted !== undefined) await counted;
  const { tenant, minimumClientVersion } = inherited === undefined ? pipeline.options : none;
  if (tenant !== undefined && principal !== anonymous) principal = await inTenant(tenant, authRequest, principal);
  if (operation.isShared) principal = anonymous;
  const { action, collection } = operation.access ?? {};
  const allowed =
    action === undefined || collection === undefined || environment.authorize === undefined
      ? everything
      : await permit(environment, { principal, authRequest, action, collection });
  if (minimumClientVersion !== undefined) requireClientVersion(headers, minimumClientVersion);
  if (refusal !== undefined) throw refusal;
  const format = inherited === undefined ? operation.selectFormat?.(headers, json) : undefined;
  const asked = { environment, request, principal, permit: allowed, authRequest };
  const parsed = operation.readQuery === undefined ? refuseUnknown(operation, asked, inherited) : operation.readQuery(asked);
  const query = parsed instanceof Promise ? await parsed : parsed;
  const segments = match.params.map(decodeSegment);
  const params = operation.hasCompositeId ? [...segments.slice(0, -1), match.params.at(-1) ?? ""] : segments;
  const receive = operation.body?.receive;
  if (operation.body && operation.body.checksHeadersItself !== true) requireBodyRule(request, headers, operation.body, { environment, endpoint });
  if (inherited === undefined) {
    const foreign = refuseCrossSite(pipeline, sent, headers);
    if (foreign !== undefined) await foreign;
  }
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
    way: inherited?.way,
    itemId: inherited?.itemId,
    scopes: inherited?.scopes ?? environment.scopesOf(principal),
    shown: inherited?.shown,
    permit: allowed,
    query,
    format,
    body,
    authRequest,
    isKeyed,
    joins: noJoins,
    count,
  };
  if (inherited?.job !== undefined) return operation.run({ ...context, ...inherited, scopes: context.scopes, insertsUnderOperationId: true });
  const runKeyed = (whole: Context) => (key === undefined ? operation.run(whole) : runIdempotent(pipeline, operation, whole, key));
  return receive === undefined ? runKeyed(context) : receiving(receive, signed, { ...context, keyId: key && keyIdOf(principal, key) }, runKeyed);
}

/** Runs an operation that receives its body as a stream, and releases a body that was not kept. */
async function receiving(
  receive: NonNullable<NonNullable<Operation["body"]>["receive"]>,
  signed: SignedBody | undefined,
  context: Context,
  runKeyed: (context: Context) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const received = await receive(context);
  let isKnown = true;
  try {
    signed?.requireCompared();
    return await runKeyed({ ...context, received });
  } catch (error) {
    // After a fault it is unknown whether a write was committed, so the body is not released here; a later sweep decides.
    isKnown = isRefusal(error);
    throw error;
  } finally {
    if (isKnown) await received.release();
  }
}

/** Reads are recorded too: later operations may depend on their results. */
function inheritedKey(inherited: Inherited | undefined): IdempotentKey | undefined {
  return inherited?.operationId === undefined ? undefined : partKey(inherited.operationId);
}

const noJoins: Context["joins"] = [];

/** Options that concern the whole request of a batch, not its operations. */
const none: Pipeline["options"] = {};

const everything = { fields: undefined };

/** Refuses unknown parameters. A signed URL verifies its own parameters, and a stored request was checked when it arrived. */
function refuseUnknown({ isSigned }: Operation, { request, authRequest, environment }: QueryContext, inherited: Inherited | undefined): void {
  if (inherited?.job !== undefined || isSigned?.(authRequest) === true) return;
  refuseParameters(request.query, environment.lists.query);
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
