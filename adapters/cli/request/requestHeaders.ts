import { isToken } from "../../../src/ground/http/headers/token.js";
import { UsageError } from "../commandError.js";

/** Headers that only the tool sets. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "idempotency-key",
  "if-none-match",
  "range",
  "transfer-encoding",
]);

/**
 * The headers that go with every request, by lower-case name.
 *
 * @param lines as `Name: value`
 * @param token bearer token; a header `authorization` in `lines` replaces it
 * @throws {UsageError}
 */
export function readRequestHeaders(lines: readonly string[], token: string | undefined): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (token !== undefined && token !== "") {
    if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError("The token has characters that are not allowed in a bearer token.");
    headers["authorization"] = `Bearer ${token}`;
  }
  for (const line of lines) {
    const end = line.indexOf(":");
    const name = line.slice(0, Math.max(0, end)).trim().toLowerCase();
    const value = line.slice(end + 1).trim();
    if (!isToken(name) || !/^[\t\x20-\x7e]*$/.test(value)) throw new UsageError(`--header must be "Name: value" in ASCII; got "${line}".`);
    if (reserved.has(name)) throw new UsageError(`--header cannot set "${name}": the tool sets this header itself.`);
    headers[name] = value;
  }
  return headers;
}
