import { ConfigurationError } from "../../../ground/problem/index.js";

/** The prefix of secrets of Standard Webhooks. */
export const secretPrefix = "whsec_";

/**
 * The key of `webhook-signature` for a secret: the bytes after `whsec_`, or the bytes of any other text.
 *
 * Its strength was checked at registration: the `whsec_` form of a short supplied secret is short too.
 *
 * @throws {ConfigurationError} for an empty secret, or a prefix without canonical base64 after it
 */
export function signingKey(secret: string): Uint8Array {
  if (typeof secret !== "string" || secret === "") throw new ConfigurationError("A webhook secret must be a text that is not empty.");
  if (!secret.startsWith(secretPrefix)) return Buffer.from(secret);
  const key = decodeBase64(secret.slice(secretPrefix.length));
  if (key === undefined || key.length === 0)
    throw new ConfigurationError(`A webhook secret that starts with "whsec_" must continue with canonical base64.`);
  return key;
}

/** The bytes of canonical base64 (RFC 4648 §4) with padding; `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  // Node's decoder also accepts base64url, spaces, missing padding and stray bits. A text is canonical if encoding the bytes returns it.
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
