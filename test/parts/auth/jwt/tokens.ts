import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { BearerJwtOptions } from "../../../../src/parts/auth/jwt/index.js";

/** Now, in seconds. */
export const now = 1_700_000_000;
export const clock = { now: () => now * 1_000 };
export const issuer = "https://id.example/";
export const audience = "https://api.example";
export const secret = "a secret of exactly 32 bytes, ok";

export const claims: JWTPayload = { iss: issuer, aud: audience, sub: "alice", iat: now - 60, nbf: now - 60, exp: now + 60, scope: "read write" };

/** The options of a service that trusts the issuer. */
export const trusting: Pick<BearerJwtOptions, "issuer" | "audience" | "clock"> = { issuer, audience, clock };

/** A key pair of an issuer. */
export interface Pair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The public key as an issuer publishes it. */
  readonly jwk: JWK;
}

export async function makePair(alg: string, kid?: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const named = kid === undefined ? {} : { kid };
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), alg, use: "sig", ...named } };
}

type SigningKey = CryptoKey | Uint8Array;

export function signToken(key: SigningKey, header: JWTHeaderParameters, payload: JWTPayload = claims): Promise<string> {
  return new SignJWT(payload).setProtectedHeader(header).sign(key);
}

export const secretKey = (text = secret): Uint8Array => new TextEncoder().encode(text);

/** Claims of which some are left out. */
export type Claims = { readonly [K in keyof JWTPayload]?: JWTPayload[K] | undefined };

export const hs256 = (payload: Claims = claims, header: Partial<JWTHeaderParameters> = {}): Promise<string> =>
  signToken(secretKey(), { alg: "HS256", ...header }, payload as JWTPayload);
