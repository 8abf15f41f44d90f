import { authenticate, unauthenticated } from "../auth/authenticate.js";
import { type AuthRequest, anonymous, type Principal } from "../auth/verifier.js";
import type { Environment } from "../operation/environment.js";
import { ProblemError } from "../problem/index.js";
import type { RuleLimit } from "./ruleLimit.js";

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
export async function identify(
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
