import type { RawHeaders } from "../../../ground/http/message.js";
import { canonicalValue } from "./canonicalRequest.js";

/** Headers that change what a request does: whoever adds one to a request of another, or sends that again with one, must not have it done. */
const meaningful = /^(?:x-amz-.*|x-http-method-override|x-tenant-id|x-api-version|idempotency-key|if-.*)$/;
/** Caches add these to requests that read, and they save only the transfer there. */
const ofCaches: ReadonlySet<string> = new Set(["if-none-match", "if-modified-since", "if-range"]);

/** What must be signed where it is sent. */
export interface RequiredFields {
  readonly method: string;
  /** Names of further headers, in lower case. */
  readonly further: readonly string[];
}

/**
 * The values of the signed headers by name; `undefined` if one of them was not sent, or if a header that must be signed is not: `host`, every `x-amz-*`, and those that change
 * what the request does.
 *
 * @param names in lower case
 */
export function signedFields(
  headers: RawHeaders,
  names: readonly string[],
  { method, further }: RequiredFields,
): Readonly<Record<string, string>> | undefined {
  const isRead = method === "GET" || method === "HEAD";
  const mustBeSigned = (name: string) => further.includes(name) || (meaningful.test(name) && !(isRead && ofCaches.has(name)));
  const lines = new Map<string, string[]>(names.map((name) => [name, []]));
  for (let index = 0; index < headers.length; index += 2) {
    const sent = (headers[index] ?? "").toLowerCase();
    // HTTP/2 sends the host as a pseudo-header (RFC 9113 §8.3.1).
    const name = sent === ":authority" ? "host" : sent;
    const values = lines.get(name);
    if (values === undefined && mustBeSigned(name)) return undefined;
    // Node decodes the bytes of a value as Latin-1.
    values?.push(Buffer.from(headers[index + 1] ?? "", "latin1").toString());
  }
  if (!lines.has("host") || [...lines.values()].some(({ length }) => length === 0)) return undefined;
  return Object.fromEntries([...lines].map(([name, values]) => [name, values.map(canonicalValue).join(",")]));
}
