import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject, type webcrypto } from "node:crypto";
import { types } from "node:util";
import type { JWK, JWTVerifyGetKey } from "jose";
import { isObject } from "../../../ground/http/isObject.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { type Fit, fitOf, type JwtAlgorithm } from "./algorithms.js";
import { createLocalJWKSet } from "./jose.js";

/** A JSON Web Key, as the types of Node, of browsers and of `jose` have it. @see RFC 7517 §4 */
export interface Jwk {
  readonly kty?: string | undefined;
}

/** A set of public keys. @see RFC 7517 §5 */
export interface JwkSet {
  readonly keys: readonly Jwk[];
}

/** A secret as text or bytes, a public key in PEM, a key of `node:crypto` or Web Crypto, a JWK, or a set of public JWKs. */
export type JwtKey = string | Uint8Array | KeyObject | webcrypto.CryptoKey | Jwk | JwkSet;

/** What verifies the signature of a token, and the algorithms that it may have. */
export interface JwtKeys extends Fit {
  readonly key: KeyObject | webcrypto.CryptoKey | JWTVerifyGetKey;
}

/** @throws {ConfigurationError} for a private key, a key that is too short or of a type that no algorithm has, and for secrets in a set. It never repeats the key. */
export function readKey(key: JwtKey): JwtKeys {
  if (isKeySet(key)) return readSet(key);
  const read = readSingle(key);
  return { key: read.key, ...requireFit(read.key, read.jwk) };
}

function isKeySet(key: JwtKey): key is JwkSet {
  return isObject(key) && Array.isArray(key["keys"]);
}

function readSet(set: JwkSet): JwtKeys {
  if (set.keys.length === 0) throw invalid("is a set without keys");
  const all = set.keys.map((jwk) => {
    const key = readJwk(jwk);
    if (key.type === "secret") throw invalid("is a set with a secret; a set has public keys only");
    return requireFit(key, jwk);
  });
  let find: JWTVerifyGetKey | undefined;
  const join = (lists: readonly (readonly JwtAlgorithm[])[]) => [...new Set(lists.flat())];
  return {
    key: (header, token) => {
      find ??= createLocalJWKSet({ keys: [...set.keys] as JWK[] });
      return find(header, token);
    },
    fits: join(all.map(({ fits }) => fits)),
    defaults: join(all.map(({ defaults }) => defaults)),
  };
}

function readSingle(key: Exclude<JwtKey, JwkSet>): { readonly key: KeyObject | webcrypto.CryptoKey; readonly jwk?: Jwk } {
  if (typeof key === "string") return { key: readBytes(Buffer.from(key)) };
  if (key instanceof Uint8Array) return { key: readBytes(Buffer.from(key)) };
  if (types.isKeyObject(key) || types.isCryptoKey(key)) {
    if (key.type === "private") throw isPrivate();
    return { key };
  }
  return { key: readJwk(key), jwk: key };
}

/** PEM is never a secret: as one, a public key that everybody has would verify what anybody signs. */
function readBytes(bytes: Buffer): KeyObject {
  const text = bytes.toString("latin1").trimStart();
  if (!text.startsWith("-----BEGIN ")) return createSecretKey(bytes);
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) throw isPrivate();
  try {
    return createPublicKey(bytes);
  } catch (cause) {
    throw invalid("is not a public key in PEM", cause);
  }
}

function readJwk(given: Jwk): KeyObject {
  const jwk = { ...given } as JsonWebKey;
  if (!isObject(given) || typeof jwk.kty !== "string") throw invalid("is neither a secret, nor a public key, nor a JWK");
  if (jwk.kty === "oct") {
    if (typeof jwk.k !== "string" || jwk.k === "") throw invalid(`is a secret JWK without "k"`);
    return createSecretKey(Buffer.from(jwk.k, "base64url"));
  }
  if ("d" in jwk) throw isPrivate();
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch (cause) {
    throw invalid("is not a public JWK", cause);
  }
}

function requireFit(key: KeyObject | webcrypto.CryptoKey, jwk?: Jwk): Fit {
  const fit = fitOf(key);
  if (fit.fits.length === 0) {
    throw invalid(
      "is too short or of a type that no algorithm has; a secret needs 32 bytes, an RSA key 2048 bits; elliptic keys are P-256, P-384, P-521 or Ed25519",
    );
  }
  const named = jwk && "alg" in jwk ? jwk.alg : undefined;
  if (named === undefined) return fit;
  const fits = fit.fits.filter((algorithm) => algorithm === named);
  if (fits.length === 0) throw invalid(`does not fit its own "alg"; it fits: ${fit.fits.join(", ")}`);
  return { fits, defaults: fits };
}

function isPrivate(): ConfigurationError {
  return invalid("is a private key; a service that only verifies needs the public one");
}

function invalid(what: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`bearerJwt: "key" ${what}.`, { cause });
}
