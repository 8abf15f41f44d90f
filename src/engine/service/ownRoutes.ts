import { createHash } from "node:crypto";
import { clientAddress } from "../../ground/http/address/clientAddress.js";
import { RequestHeaders } from "../../ground/http/headers/headers.js";
import { readRequestId } from "../../ground/http/headers/requestId.js";
import type { HttpRequest } from "../../ground/http/message.js";
import { ConfigurationError, ProblemError } from "../../ground/problem/index.js";
import { authRequestOf } from "../../parts/auth/authRequest.js";
import { isMissing } from "../../parts/auth/signedBody.js";
import type { AuthBody, AuthRequest, Principal } from "../../parts/auth/verifier.js";
import type { RequestCount } from "../operation/answers/requestCount.js";
import { failure } from "../operation/faults/failure.js";
import type { Operation } from "../operation/operation.js";
import type { Identified } from "./identified.js";
import { finish } from "./pipeline/finish.js";
import { shuttingDown } from "./pipeline/handle.js";
import { verifiedPrincipal } from "./pipeline/identify.js";
import type { Pipeline } from "./pipeline/pipeline.js";
import { inTenant } from "./pipeline/tenant.js";

/** For limits: a route of the developer is an operation without a name that policies could have. */
const ownRoute: Operation = {
  name: "own route",
  method: "GET",
  run() {
    throw new TypeError("A route of the developer is not run here.");
  },
};

/**
 * The principal of a request to a route of the developer, by the steps that a request to the service takes before its operation: limits by address, verifiers, limits by
 * principal, tenant. Credentials are always needed.
 *
 * @throws {ProblemError} UNAUTHENTICATED with challenges, RATE_LIMITED, FORBIDDEN, and what verifiers throw
 * @throws {ConfigurationError} if the service has no verifiers
 */
export async function authenticateRequest(
  pipeline: Pipeline,
  request: HttpRequest,
  address = addressOf(pipeline, request),
  count: RequestCount | undefined = pipeline.limitRate?.(address),
): Promise<Principal> {
  const { environment, options } = pipeline;
  if (environment.verifiers.length === 0) throw new ConfigurationError(`authenticate: the service has no verifiers; name some in "auth".`);
  const headers = new RequestHeaders(request.headers);
  const authRequest: AuthRequest = authRequestOf(request, headers, address, pipeline.openBody && emptyBody(request, headers));
  await count?.beforeAuthentication(ownRoute);
  const principal = await verifiedPrincipal(pipeline, false, authRequest, () => count?.afterAuthentication(ownRoute, undefined));
  await count?.afterAuthentication(ownRoute, principal);
  return options.tenant === undefined ? principal : inTenant(options.tenant, authRequest, principal);
}

/** Who sends a request to a route of the developer, or the whole answer that refuses it. Never rejects for what a client sends. */
export async function identifyRequest(pipeline: Pipeline, request: HttpRequest, isClosing: boolean): Promise<Identified> {
  const { environment } = pipeline;
  const address = addressOf(pipeline, request);
  const count = pipeline.limitRate?.(address);
  try {
    if (isClosing) throw shuttingDown();
    return { principal: await authenticateRequest(pipeline, request, address, count) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const requestId = readRequestId(request.headers, environment.ids.uuid);
    const response = failure(environment, request, requestId, error);
    count?.addHeaders(response.headers);
    return { answer: finish(pipeline, { match: undefined, requestId }, request, response, isClosing) };
  }
}

function addressOf({ environment }: Pipeline, request: HttpRequest): string | undefined {
  return clientAddress(request.headers, request.address, environment.trustedHops);
}

/** The body for verifiers of signatures: only an empty one can be verified here, because the route of the developer reads its body itself. */
function emptyBody({ body }: HttpRequest, headers: RequestHeaders): AuthBody | undefined {
  if (!isMissing(body, headers)) return undefined;
  const hash = createHash("sha256").digest("hex");
  return {
    sha256: async () => hash,
    async expectSha256(sha256Hex) {
      if (sha256Hex !== hash) throw new ProblemError("UNAUTHENTICATED", "Valid credentials are needed.");
    },
  };
}
