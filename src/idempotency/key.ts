import { ProblemError } from "../problem/index.js";

const shortest = 16;
const longest = 255;
/** Printable ASCII without comma and double quote. */
const allowed = /^[!#-+\--~]+$/;
const rule = `${shortest} to ${longest} visible ASCII characters without comma and double quote, e.g. a UUID`;

/**
 * Reads an `Idempotency-Key` header: the key, bare or as a quoted string.
 *
 * @throws {ProblemError} IDEMPOTENCY_KEY_INVALID
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function parseIdempotencyKey(header: string): string {
  const text = header.replace(/^[ \t]+|[ \t]+$/g, "");
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  const key = isQuoted ? text.slice(1, -1) : text;
  if (key.length >= shortest && key.length <= longest && allowed.test(key)) return key;
  const detail = `An Idempotency-Key must be ${rule}; got ${key.length} characters.`;
  throw new ProblemError("IDEMPOTENCY_KEY_INVALID", detail, { errors: [{ code: "IDEMPOTENCY_KEY_INVALID", detail, header: "Idempotency-Key" }] });
}
