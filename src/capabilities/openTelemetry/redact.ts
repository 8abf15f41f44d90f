import { decodePercent } from "../../ground/http/decodePercent.js";

/** Parameters of signatures and credentials that conventions name, `s` of URLs that this library signs, and `ticket` of its event streams. */
export const secretParameters: readonly string[] = [
  ...["AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature", "X-Goog-Credential"],
  ...["X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "s", "ticket"],
];

/** The most characters of a query that a span has. */
const maxQueryCharacters = 2_048;

/**
 * A query without the values of some parameters, which become `REDACTED`.
 *
 * @param query raw, without `?`
 * @param secret names of parameters; compared case-sensitively, percent-encoded or not
 * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/url/
 * @example
 * redactQuery("sort=id&sig=ab", new Set(["sig"])); // "sort=id&sig=REDACTED"
 */
export function redactQuery(query: string, secret: ReadonlySet<string>): string {
  const redacted = query
    .slice(0, maxQueryCharacters)
    .split("&")
    .map((pair) => {
      const end = pair.indexOf("=");
      return end !== -1 && secret.has(nameOf(pair.slice(0, end))) ? `${pair.slice(0, end)}=REDACTED` : pair;
    });
  return redacted.join("&");
}

function nameOf(raw: string): string {
  return /[%+]/.test(raw) ? (decodePercent(raw.replaceAll("+", " ")) ?? raw) : raw;
}
