import { createHash } from "node:crypto";
import { credentialsOf } from "./authorization.js";
import { formatChallenge } from "./challenge.js";
import { type Found, failure, type Verifier } from "./verifier.js";

/** What the challenge says. */
export interface ApiKeyOptions {
  /** `api` unless said otherwise. */
  readonly realm?: string | undefined;
}

/** The SHA-256 of an API key in hexadecimal: what a service keeps instead of the key. Enough for keys that are long and random, not for passwords. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

const visible = /^[\x21-\x7e]+$/;

/**
 * Verifies `Authorization: ApiKey <key>` and `X-API-Key: <key>`; both may stand in one request if they are the same.
 *
 * @param lookup Finds the principal by the key's hash, see {@link hashApiKey}; nobody means that the key is wrong. The key itself goes nowhere.
 * @throws {ConfigurationError} for a realm that no header can carry
 */
export function apiKey(lookup: (sha256Hex: string) => Found | Promise<Found>, options: ApiKeyOptions = {}): Verifier {
  const challenge = formatChallenge("ApiKey", { realm: options.realm ?? "api" });
  return {
    scheme: "ApiKey",
    headers: ["Authorization", "X-API-Key"],
    challenge: () => challenge,
    async verify(request) {
      const authorization = credentialsOf(request, "ApiKey");
      const header = request.headers.get("x-api-key");
      const key = authorization ?? header;
      if (key === undefined) return null;
      if ((header ?? key) !== key || !visible.test(key)) return failure;
      return (await lookup(hashApiKey(key))) ?? failure;
    },
  };
}
