import type { errors as JoseErrors, JWTPayload, JWTVerifyOptions } from "jose";
import { systemClock } from "../../../ground/clock/clock.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { credentialsOf, isToken68 } from "../authorization.js";
import { formatChallenge } from "../challenge.js";
import { type Found, failure, type Principal, type Verifier } from "../verifier.js";
import { fitOf } from "./algorithms.js";
import { errors, jwtVerify, loadJose } from "./jose.js";
import { type JwtKeys, readKey } from "./localKeys.js";
import { type BearerJwtOptions, checkOptions, readAlgorithms, readJwksUrl, remoteFit } from "./options.js";
import { principalOfClaims } from "./principal.js";
import { RemoteKeys } from "./remoteKeys.js";

/** Longer tokens are refused before they are parsed. */
const maxTokenLength = 8_192;

/** How many keys are tried for a token that does not name its key. */
const maxTriedKeys = 8;

const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * Verifies `Authorization: Bearer <JWT>`: the signature with the issuer's key set or one key, then `exp`, `nbf`, `iat`, `iss` and `aud`. Needs the package `jose`.
 *
 * A token that fails in any way is 401 with the same text. If the key set cannot be loaded and no earlier one is known, the answer is 503.
 *
 * @throws {ConfigurationError} for options that cannot work or that would accept tokens of strangers; from the start of the service if jose is not installed
 * @see RFC 7519, RFC 8725, RFC 6750
 * @example
 * bearerJwt({ jwks: "https://id.example.com/.well-known/jwks.json", issuer: "https://id.example.com/", audience: "https://api.example.com" });
 */
export function bearerJwt(options: BearerJwtOptions): Verifier {
  checkOptions(options);
  const { realm = "api", requiredScopes = [], principal: principalOf = principalOfClaims, otherwise } = options;
  const verifyJwt = jwtVerifier(options);
  const scope = requiredScopes.length === 0 ? undefined : requiredScopes.join(" ");
  const challenge = formatChallenge("Bearer", { realm, scope });
  const invalid = formatChallenge("Bearer", { realm, scope, error: "invalid_token" });
  const insufficient = formatChallenge("Bearer", { realm, scope, error: "insufficient_scope" });

  async function find(token: string): Promise<Found> {
    if (!jwtForm.test(token)) return otherwise?.(token);
    const claims = await verifyJwt(token);
    return claims && principalOf(claims);
  }

  function requireScopes({ scopes = [] }: Principal): void {
    const missing = requiredScopes.filter((required) => !scopes.includes(required));
    if (missing.length === 0) return;
    const detail = `The token lacks the scope ${missing.map((name) => `"${name}"`).join(" and ")}.`;
    throw new ProblemError("FORBIDDEN", detail, { headers: { "www-authenticate": insufficient } });
  }

  return {
    scheme: "Bearer",
    securityScheme: { type: "http", scheme: "bearer", ...(otherwise === undefined && { bearerFormat: "JWT" }) },
    start: loadJose,
    challenge: (request) => (credentialsOf(request, "Bearer") === undefined ? challenge : invalid),
    async verify(request) {
      const token = credentialsOf(request, "Bearer");
      if (token === undefined) return null;
      if (token.length > maxTokenLength || !isToken68(token)) return failure;
      const principal = await find(token);
      if (principal === null || principal === undefined) return failure;
      requireScopes(principal);
      return principal;
    },
  };
}

/** Verifies tokens: the claims of a valid one; `undefined` for any other. */
function jwtVerifier(options: BearerJwtOptions): (token: string) => Promise<JWTPayload | undefined> {
  const { clock = systemClock, clockToleranceSeconds: toleranceSeconds = 5 } = options;
  const report = reporter(options.onError);
  const keys = keysOf(options, report);
  const expected: JWTVerifyOptions = {
    algorithms: [...readAlgorithms(options.algorithms, keys)],
    requiredClaims: ["exp"],
    clockTolerance: toleranceSeconds,
    ...(options.issuer === false ? {} : { issuer: [options.issuer].flat() }),
    ...(options.audience === false ? {} : { audience: [options.audience].flat() }),
    ...(options.typ === undefined ? {} : { typ: options.typ }),
    ...(options.maxTokenAgeSeconds === undefined ? {} : { maxTokenAge: options.maxTokenAgeSeconds }),
  };
  return async (token) => {
    const currentDate = new Date(clock.now());
    await loadJose();
    try {
      const claims = await verifySignature(token, keys.key, { ...expected, currentDate });
      if ((claims.iat ?? 0) > currentDate.getTime() / 1_000 + toleranceSeconds) throw new errors.JWTInvalid(`"iat" is in the future`);
      return claims;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      report(error);
      return undefined;
    }
  };
}

function keysOf({ jwks, key, refresh = {}, clock = systemClock }: BearerJwtOptions, onError: (error: unknown) => void): JwtKeys {
  if (key !== undefined) return readKey(key);
  const { maxAgeSeconds = 600, coolDownSeconds = 30, timeoutMs = 5_000 } = refresh;
  const times = { maxAgeMs: maxAgeSeconds * 1_000, coolDownMs: coolDownSeconds * 1_000, timeoutMs };
  const { getKey } = new RemoteKeys({ url: readJwksUrl(jwks ?? ""), clock, ...times, onError });
  return { key: getKey, ...remoteFit };
}

/** Several keys of a set fit a token that does not name its key: each of them may have signed it. */
async function verifySignature(token: string, key: JwtKeys["key"], options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await (typeof key === "function" ? jwtVerify(token, key, options) : jwtVerify(token, key, options))).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return verifyWithEach(token, error, options);
  }
}

async function verifyWithEach(token: string, matching: JoseErrors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of matching) {
    tried += 1;
    if (tried > maxTriedKeys) break;
    if (fitOf(key).fits.length === 0) continue;
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** A hook that throws must not change the answer. */
function reporter(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {
      // Its own faults are for the developer's log, which is what it writes.
    }
  };
}
