import type { KeyObject, webcrypto } from "node:crypto";
import { types } from "node:util";

/** A signature algorithm of tokens, by its name in the header `alg` (RFC 7518 §3.1, RFC 8037, RFC 9864). There is no `none`. */
export type JwtAlgorithm =
  | "HS256"
  | "HS384"
  | "HS512"
  | "RS256"
  | "RS384"
  | "RS512"
  | "PS256"
  | "PS384"
  | "PS512"
  | "ES256"
  | "ES384"
  | "ES512"
  | "EdDSA"
  | "Ed25519";

const hmac: readonly JwtAlgorithm[] = ["HS256", "HS384", "HS512"];
const rsa: readonly JwtAlgorithm[] = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
const edwards: readonly JwtAlgorithm[] = ["EdDSA", "Ed25519"];

/** All algorithms whose keys can be public. */
export const publicAlgorithms: readonly JwtAlgorithm[] = [...rsa, "ES256", "ES384", "ES512", ...edwards];

export const jwtAlgorithms: readonly JwtAlgorithm[] = [...hmac, ...publicAlgorithms];

/** The algorithms that a key of a set may have if none are named. */
export const setAlgorithms: readonly JwtAlgorithm[] = ["RS256", "PS256", "ES256", "ES384", "ES512", ...edwards];

/** The algorithms that a key fits, and those of them that are allowed if none are named. */
export interface Fit {
  readonly fits: readonly JwtAlgorithm[];
  readonly defaults: readonly JwtAlgorithm[];
}

const nothing: Fit = { fits: [], defaults: [] };

/** How many bits an RSA key must have. @see RFC 7518 §3.3 */
const minModulusBits = 2_048;

/** What a public or secret key fits; nothing for a key that is too short or of another type. */
export function fitOf(key: KeyObject | webcrypto.CryptoKey): Fit {
  return types.isCryptoKey(key) ? fitOfCryptoKey(key) : fitOfKeyObject(key as KeyObject);
}

function fitOfKeyObject(key: KeyObject): Fit {
  if (key.type === "secret") return secretFit((key.symmetricKeySize ?? 0) * 8);
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "rsa") return modulusLength < minModulusBits ? nothing : { fits: rsa, defaults: ["RS256"] };
  if (key.asymmetricKeyType === "ec") return only(curves[namedCurve ?? ""]);
  return key.asymmetricKeyType === "ed25519" ? { fits: edwards, defaults: edwards } : nothing;
}

const curves: Readonly<Record<string, JwtAlgorithm>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
  "P-256": "ES256",
  "P-384": "ES384",
  "P-521": "ES512",
};

/** A key of Web Crypto is made for one algorithm. */
function fitOfCryptoKey({ algorithm }: webcrypto.CryptoKey): Fit {
  const {
    name,
    hash,
    namedCurve,
    length = 0,
    modulusLength = 0,
  } = algorithm as webcrypto.KeyAlgorithm & {
    readonly hash?: { readonly name: string };
    readonly namedCurve?: string;
    readonly length?: number;
    readonly modulusLength?: number;
  };
  const bits = hash?.name.slice("SHA-".length) ?? "";
  const named = (prefix: string) => only(jwtAlgorithms.find((known) => known === `${prefix}${bits}`));
  if (name === "HMAC") return secretFit(length).fits.includes(`HS${bits}` as JwtAlgorithm) ? named("HS") : nothing;
  if (name === "ECDSA") return only(curves[namedCurve ?? ""]);
  if (name === "Ed25519") return { fits: edwards, defaults: edwards };
  if (modulusLength < minModulusBits) return nothing;
  if (name === "RSA-PSS") return named("PS");
  return name === "RSASSA-PKCS1-v1_5" ? named("RS") : nothing;
}

/** A secret must be as long as the hash. @see RFC 7518 §3.2 */
function secretFit(bits: number): Fit {
  const fits = hmac.filter((algorithm) => bits >= Number(algorithm.slice(2)));
  return { fits, defaults: fits.slice(0, 1) };
}

function only(algorithm: JwtAlgorithm | undefined): Fit {
  return algorithm === undefined ? nothing : { fits: [algorithm], defaults: [algorithm] };
}
