import { ConfigurationError } from "../problem/index.js";

/** What every secret in the form of Standard Webhooks begins with. */
export const secretPrefix = "whsec_";

/**
 * The key of `webhook-signature` that a secret stands for: the bytes behind `whsec_`, or the bytes of any other text.
 *
 * How strong it is was judged when it was registered: the `whsec_` form of a short supplied secret is short too.
 *
 * @throws {ConfigurationError} for an empty secret, or a prefix without canonical base64 behind it
 */
export function signingKey(secret: string): Uint8Array {
  if (typeof secret !== "string" || secret === "") throw new ConfigurationError("A webhook secret must be a text that is not empty.");
  if (!secret.startsWith(secretPrefix)) return Buffer.from(secret);
  const key = decodeBase64(secret.slice(secretPrefix.length));
  if (key === undefined || key.length === 0)
    throw new ConfigurationError(`A webhook secret that starts with "whsec_" must go on with canonical base64.`);
  return key;
}

/** The bytes of canonical base64 (RFC 4648 §4), padding included; `undefined` for any other spelling of them. */
export function decodeBase64(text: string): Uint8Array | undefined {
  // Node's decoder also takes base64url, spaces, missing padding and stray bits: only what it would write itself is canonical.
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
