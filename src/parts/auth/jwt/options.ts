import type { Clock } from "../../../ground/clock/clock.js";
import { callable, clock, either, listOf, oneOf, optionsCheck, passing, strict, text, texts, whole } from "../../../ground/options/index.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Found } from "../verifier.js";
import { type Fit, type JwtAlgorithm, jwtAlgorithms, publicAlgorithms, setAlgorithms } from "./algorithms.js";
import type { JwtKey } from "./localKeys.js";
import type { JwtClaims } from "./principal.js";

/** How the keys of `jwks` are loaded. */
export interface JwksRefresh {
  /** When keys are loaded again. Defaults to 600. */
  readonly maxAgeSeconds?: number | undefined;
  /** The shortest time between two loads for unknown keys. Defaults to 30. */
  readonly coolDownSeconds?: number | undefined;
  /** How long a load may take. Defaults to 5,000. */
  readonly timeoutMs?: number | undefined;
}

export interface BearerJwtOptions {
  /** The address of the issuer's key set; https, or http on this machine. Either this or `key`. */
  readonly jwks?: string | undefined;
  /** When the keys of `jwks` are loaded again. */
  readonly refresh?: JwksRefresh | undefined;
  /** A secret of at least 32 bytes, a public key, or a set of public keys. Either this or `jwks`. */
  readonly key?: JwtKey | undefined;
  /**
   * The algorithms that a token may have. Defaults to what the key is made for: HS256 for a secret, RS256 for RSA, ES256, ES384, ES512 or EdDSA for the others; for
   * `jwks` to RS256, PS256, ES256, ES384, ES512 and EdDSA.
   */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined;
  /** The claim `iss` that a token must have, or one of several. `false` accepts every issuer that has the key. */
  readonly issuer: string | readonly string[] | false;
  /** The claim `aud` that a token must have, or one of several. `false` accepts tokens that were issued for others. */
  readonly audience: string | readonly string[] | false;
  /** The difference of clocks that is accepted in `exp`, `nbf` and `iat`. Defaults to 5. */
  readonly clockToleranceSeconds?: number | undefined;
  /** The oldest `iat` that is accepted; then a token must have one. Defaults to no limit; `exp` is always required. */
  readonly maxTokenAgeSeconds?: number | undefined;
  /** The header `typ` that a token must have, such as `at+jwt`. Not checked by default. */
  readonly typ?: string | undefined;
  /** Scopes that every principal must have; 403 if one is missing. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Makes the principal of valid claims; no result refuses the token. Defaults to `sub` as the id, `scope` or `scp` as the scopes, and all claims as claims. */
  readonly principal?: ((claims: JwtClaims) => Found | Promise<Found>) | undefined;
  /** Finds the principal of a token that is not a JWT: that has not three parts with dots between them. Without it such a token is refused. */
  readonly otherwise?: ((token: string) => Found | Promise<Found>) | undefined;
  /** The realm that `WWW-Authenticate` names. Defaults to `api`. */
  readonly realm?: string | undefined;
  /** Called with the reason why a JWT was refused, or why keys could not be loaded while old ones are in use. For logs: clients never see it. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Tells the time. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
}

const daySeconds = 86_400;

const claim = () => either("a text, an array of texts, or false", text(), listOf(text(), "an array of texts", 1), oneOf(false));

const checkShape = /* @__PURE__ */ optionsCheck("bearerJwt", () =>
  strict<BearerJwtOptions>(
    {
      jwks: text("a URL as a text"),
      refresh: strict<JwksRefresh>({
        maxAgeSeconds: whole(1, daySeconds),
        coolDownSeconds: whole(1, daySeconds),
        timeoutMs: whole(1, 60_000),
      }),
      key: passing("a key", (value) => typeof value === "string" || (typeof value === "object" && value !== null)),
      algorithms: listOf(oneOf(...jwtAlgorithms), "an array of algorithms", 1),
      issuer: claim(),
      audience: claim(),
      clockToleranceSeconds: whole(0, 600),
      maxTokenAgeSeconds: whole(1),
      typ: text(),
      requiredScopes: texts(),
      principal: callable(),
      otherwise: callable(),
      realm: text(),
      onError: callable(),
      clock: clock(),
    },
    ["issuer", "audience"],
  ),
);

/** @throws {ConfigurationError} for options that cannot work or that would accept tokens of strangers */
export function checkOptions(options: BearerJwtOptions): void {
  checkShape(options);
  const { jwks, key, refresh, issuer, principal, requiredScopes = [] } = options;
  if ((jwks === undefined) === (key === undefined)) throw new ConfigurationError(`bearerJwt: exactly one of "jwks" and "key" must be given.`);
  if (refresh !== undefined && jwks === undefined) throw new ConfigurationError(`bearerJwt: "refresh" has no effect without "jwks".`);
  const isOneIssuer = typeof issuer === "string" || (issuer !== false && issuer.length === 1);
  if (!isOneIssuer && principal === undefined) {
    throw new ConfigurationError(`bearerJwt: "principal" is needed if there may be several issuers, because "sub" is unique only within one.`);
  }
  for (const scope of requiredScopes) {
    if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) continue;
    throw new ConfigurationError(`bearerJwt: "requiredScopes" must be visible ASCII without spaces, quotes and backslashes.`);
  }
}

/** @throws {ConfigurationError} for any URL but https, or http on this machine: anyone who changes the answer of a key set can sign tokens */
export function readJwksUrl(jwks: string): URL {
  const url = URL.canParse(jwks) ? new URL(jwks) : undefined;
  const isHere = url?.protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url && isHere)) return url;
  throw new ConfigurationError(`bearerJwt: "jwks" must be an https URL, or an http URL of this machine.`);
}

/** The allowed algorithms. @throws {ConfigurationError} for one that no key of these can have */
export function readAlgorithms(named: readonly JwtAlgorithm[] | undefined, { fits, defaults }: Fit): readonly JwtAlgorithm[] {
  const unfit = named?.find((algorithm) => !fits.includes(algorithm));
  if (unfit === undefined) return named ?? defaults;
  throw new ConfigurationError(`bearerJwt: "algorithms" has ${unfit}, which does not fit the key; it fits: ${fits.join(", ")}.`);
}

/** The keys of a URL are public, so a secret algorithm would accept what anybody signs with one of them. */
export const remoteFit: Fit = { fits: publicAlgorithms, defaults: setAlgorithms };
