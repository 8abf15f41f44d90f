import { ProblemError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "./checkedPrincipal.js";
import { type AuthRequest, failure, type Principal, type Verdict, type Verifier } from "./verifier.js";

/**
 * The principal of a request's credentials; `undefined` if it has none.
 *
 * @param verify asks one verifier
 * @throws {ProblemError} UNAUTHENTICATED for credentials that are wrong or that no verifier knows, CONFLICTING_CREDENTIALS if two verifiers recognise some
 * @throws {ConfigurationError} for a principal with an empty id or tenant
 */
export async function authenticate(
  verifiers: readonly Verifier[],
  request: AuthRequest,
  verify: (verifier: Verifier, request: AuthRequest) => Verdict | Promise<Verdict> = (verifier) => verifier.verify(request),
): Promise<Principal | undefined> {
  let claimed: Principal | typeof failure | undefined;
  for (const verifier of verifiers) {
    const verdict = await verify(verifier, request);
    if (verdict === null) continue;
    if (claimed !== undefined) {
      throw new ProblemError("CONFLICTING_CREDENTIALS", "The request has credentials of two kinds; send only one of them.");
    }
    claimed = verdict === failure || verdict === undefined ? verdict : checkedPrincipal(verdict, `the verifier of "${verifier.scheme}"`);
  }
  const isUnclaimed = claimed === undefined && request.headers.get("authorization") !== undefined;
  if (claimed === failure || isUnclaimed) throw unauthenticated(verifiers, request);
  return claimed;
}

/**
 * The 401 with the challenges of each scheme. Its text is always the same: a text that differs would reveal which names exist.
 *
 * @see RFC 9110 §11.6.1
 */
export function unauthenticated(verifiers: readonly Verifier[], request: AuthRequest): ProblemError {
  const challenges = new Map<string, string | readonly string[]>();
  for (const verifier of verifiers) {
    const challenge = verifier.challenge(request);
    if (challenge !== undefined) challenges.set(verifier.scheme.toLowerCase(), challenge);
  }
  const offered = isScripted(request) ? withoutPasswordBox(challenges) : challenges;
  return new ProblemError("UNAUTHENTICATED", "Valid credentials are needed.", {
    headers: offered.size === 0 ? {} : { "www-authenticate": [...offered.values()].flat() },
  });
}

function isScripted({ headers }: AuthRequest): boolean {
  return headers.get("sec-fetch-mode") === "cors" || headers.get("x-requested-with") !== undefined;
}

/** Browsers show a password dialog for these schemes. They are kept only if there is no other scheme, because a 401 must have a challenge. */
function withoutPasswordBox<Challenge>(challenges: ReadonlyMap<string, Challenge>): ReadonlyMap<string, Challenge> {
  const rest = new Map([...challenges].filter(([scheme]) => scheme !== "basic" && scheme !== "digest"));
  return rest.size === 0 ? challenges : rest;
}
