import type { Principal } from "../verifier.js";

/** The claims of a token whose signature and times are valid. @see RFC 7519 §4.1 */
export interface JwtClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** No identifier is longer than in OpenID Connect Core §2. */
const subject = /^\P{Cc}{1,255}$/u;

/** `sub` is the id, `scope` or `scp` the scopes, and all claims are claims. No tenant: which claim names it, only the developer knows. */
export function principalOfClaims(claims: JwtClaims): Principal | undefined {
  const { sub } = claims;
  if (typeof sub !== "string" || !subject.test(sub) || !sub.isWellFormed()) return undefined;
  return { id: sub, scopes: scopesOf(claims), claims };
}

/** The scopes as one text (RFC 8693 §4.2) or as a list, as some issuers write them. */
function scopesOf(claims: JwtClaims): readonly string[] {
  const named = claims["scope"] ?? claims["scp"];
  const list: readonly unknown[] = typeof named === "string" ? named.split(" ") : Array.isArray(named) ? named : [];
  return list.filter((scope): scope is string => typeof scope === "string" && scope !== "");
}
