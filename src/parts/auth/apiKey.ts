import { createHash } from "node:crypto";
import { optionsCheck, strict, text } from "../../ground/options/index.js";
import { credentialsOf } from "./authorization.js";
import { formatChallenge } from "./challenge.js";
import { type Found, failure, type Verifier } from "./verifier.js";

/** The realm of the challenge. */
export interface ApiKeyOptions {
  /** The realm that `WWW-Authenticate` names. Defaults to `api`. */
  readonly realm?: string | undefined;
}

const checkOptions = /* @__PURE__ */ optionsCheck("apiKey", () => strict<ApiKeyOptions>({ realm: text() }));

/** The SHA-256 of an API key in hexadecimal: a service stores it instead of the key. Safe for long random keys, not for passwords. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

const visible = /^[\x21-\x7e]+$/;

/**
 * Verifies `Authorization: ApiKey <key>` and `X-API-Key: <key>`; a request may have both if they are equal.
 *
 * @param lookup Finds the principal by the key's hash, see {@link hashApiKey}; no result means that the key is wrong. The key itself is not passed on.
 * @throws {ConfigurationError} for a realm that is invalid in a header
 */
export function apiKey(lookup: (sha256Hex: string) => Found | Promise<Found>, options: ApiKeyOptions = {}): Verifier {
  checkOptions(options);
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
