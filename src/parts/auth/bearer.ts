import { optionsCheck, strict, text } from "../../ground/options/index.js";
import { credentialsOf, isToken68 } from "./authorization.js";
import { formatChallenge } from "./challenge.js";
import { type Found, failure, type Verifier } from "./verifier.js";

/** The realm of the challenge. */
export interface BearerOptions {
  /** The realm that `WWW-Authenticate` names. Defaults to `api`. */
  readonly realm?: string | undefined;
  /** Required scopes, separated by spaces. */
  readonly scope?: string | undefined;
}

const checkOptions = /* @__PURE__ */ optionsCheck("bearer", () => strict<BearerOptions>({ realm: text(), scope: text() }));

/**
 * Verifies `Authorization: Bearer <token>`.
 *
 * @param check Finds the principal of a token; no result means that the token is wrong.
 * @throws {ConfigurationError} for a realm or scope that is invalid in a header
 * @see RFC 6750
 * @example
 * bearer((token) => sessions.get(token), { realm: "shop" });
 */
export function bearer(check: (token: string) => Found | Promise<Found>, options: BearerOptions = {}): Verifier {
  checkOptions(options);
  const { realm = "api", scope } = options;
  const challenge = formatChallenge("Bearer", { realm, scope });
  const invalid = formatChallenge("Bearer", { realm, scope, error: "invalid_token" });
  return {
    scheme: "Bearer",
    challenge: (request) => (credentialsOf(request, "Bearer") === undefined ? challenge : invalid),
    async verify(request) {
      const token = credentialsOf(request, "Bearer");
      if (token === undefined) return null;
      return isToken68(token) ? ((await check(token)) ?? failure) : failure;
    },
  };
}
