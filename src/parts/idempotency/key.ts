import { type ProblemError, problemAt } from "../../ground/problem/index.js";

const minLength = 16;
const maxLength = 255;
/** Printable ASCII without comma and double quote. */
const allowed = /^[!#-+\--~]+$/;

/** The problem for a request that needs a key and has none. */
export function keyRequired(): ProblemError {
  const detail = "This operation needs an Idempotency-Key.";
  return problemAt("IDEMPOTENCY_KEY_REQUIRED", detail, { header: "Idempotency-Key" });
}

/**
 * Parses an `Idempotency-Key` header: the key, bare or as a quoted string.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_INVALID
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function parseIdempotencyKey(header: string): string {
  const text = header.replace(/^[ \t]+|[ \t]+$/g, "");
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  const key = isQuoted ? text.slice(1, -1) : text;
  if (key.length >= minLength && key.length <= maxLength && allowed.test(key)) return key;
  const rule = `${minLength} to ${maxLength} visible ASCII characters without comma and double quote, e.g. a UUID`;
  const detail = `An Idempotency-Key must be ${rule}; got ${key.length} characters.`;
  throw problemAt("IDEMPOTENCY_KEY_INVALID", detail, { header: "Idempotency-Key" });
}
