import { withMethod } from "../../../ground/http/headers/methodOverride.js";
import type { HttpRequest } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { authenticate, unauthenticated } from "../../../parts/auth/authenticate.js";
import { type AuthRequest, anonymous, failure, type Principal, type Verifier } from "../../../parts/auth/verifier.js";
import type { Environment } from "../../operation/environment.js";
import type { RuleLimit } from "../ruleLimit.js";
import type { Entered } from "./enter.js";
import { requireTrust } from "./override.js";
import { inTenant } from "./tenant.js";

/** Who sends a request, as far as its operation may know. */
export interface Caller {
  readonly principal: Principal;
  /** With the method that an override names. */
  readonly request: HttpRequest;
}

/**
 * Finds out who sends a request, and counts it against the limits of its address and of its principal.
 *
 * @throws {ProblemError} RATE_LIMITED, UNAUTHENTICATED, CONFLICTING_CREDENTIALS, METHOD_OVERRIDE_FORBIDDEN, FORBIDDEN for a tenant, and what verifiers throw
 */
export async function identify(entered: Entered): Promise<Caller> {
  const { pipeline, operation, override, inherited, authRequest, signed, sent, arrival } = entered;
  const { count } = arrival;
  const before = count?.beforeAuthentication(operation);
  // An await takes a turn even if there is nothing to wait for.
  if (before !== undefined) await before;
  const own = inherited === undefined && operation.verifier !== undefined ? await ownCredentials(entered, operation.verifier) : undefined;
  const identified = inherited?.principal ?? own ?? credentialsOf(entered);
  let principal = identified instanceof Promise ? await identified : identified;
  let request = signed?.request ?? sent;
  if (override !== undefined && operation.takesOverride !== true) {
    const trust = inherited === undefined ? pipeline.options.trustMethodOverride : undefined;
    await requireTrust(trust, authRequest, principal, override.method);
    request = withMethod(request, operation.method);
  }
  const counted = inherited === undefined ? count?.afterAuthentication(operation, principal) : inherited.count?.items(operation, 1);
  if (counted !== undefined) await counted;
  // The whole request of a batch has chosen the tenant.
  const tenant = inherited === undefined && own === undefined ? pipeline.options.tenant : undefined;
  if (tenant !== undefined && principal !== anonymous) principal = await inTenant(tenant, authRequest, principal);
  return { principal: operation.isShared ? anonymous : principal, request };
}

/** The principal of credentials that only this operation takes; `undefined` if the request has none. */
async function ownCredentials(
  { environment, operation, authRequest, arrival: { count } }: Entered,
  verifier: Verifier,
): Promise<Principal | undefined> {
  const verdict = await verifier.verify(authRequest);
  if (verdict === null) return undefined;
  if (verdict !== failure) return verdict;
  await count?.afterAuthentication(operation, undefined);
  throw unauthenticated(environment.verifiers, authRequest);
}

/** The principal of the credentials of a request; anonymous at once if the operation needs none. */
function credentialsOf({ pipeline, environment, operation, authRequest, arrival: { count } }: Entered): Principal | Promise<Principal> {
  const isOpen = environment.verifiers.length === 0 || operation.access === undefined || operation.isSigned?.(authRequest) === true;
  if (isOpen) return anonymous;
  const allowsAnonymous = operation.allowsAnonymous === true || environment.anonymousAllowed;
  return verifiedPrincipal(pipeline, allowsAnonymous, authRequest, () => count?.afterAuthentication(operation, undefined));
}

/** What verifies credentials. */
interface Verifying {
  readonly environment: Pick<Environment, "verifiers">;
  readonly verify: RuleLimit["verify"];
}

/**
 * The principal of a request's credentials.
 *
 * @param failed called before a request without valid credentials is refused; may refuse it with another problem
 * @throws {ProblemError} UNAUTHENTICATED, CONFLICTING_CREDENTIALS, and what verifiers throw
 */
export async function verifiedPrincipal(
  { environment, verify }: Verifying,
  allowsAnonymous: boolean,
  request: AuthRequest,
  failed: () => void | Promise<void>,
): Promise<Principal> {
  const { verifiers } = environment;
  try {
    const principal = await authenticate(verifiers, request, verify);
    if (principal !== undefined) return principal;
    if (allowsAnonymous) return anonymous;
    throw unauthenticated(verifiers, request);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) await failed();
    throw error;
  }
}
