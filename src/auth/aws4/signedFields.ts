import type { RawHeaders } from "../../http/message.js";
import { canonicalValue } from "./canonicalRequest.js";

/**
 * The values of the signed headers by name; `undefined` if one of them was not sent, or if a header that must be signed is not: `host`, and every `x-amz-*`.
 *
 * @param names in lower case
 */
export function signedFields(headers: RawHeaders, names: readonly string[]): Readonly<Record<string, string>> | undefined {
  const lines = new Map<string, string[]>(names.map((name) => [name, []]));
  for (let index = 0; index < headers.length; index += 2) {
    const sent = (headers[index] ?? "").toLowerCase();
    // HTTP/2 sends the host as a pseudo-header (RFC 9113 §8.3.1).
    const name = sent === ":authority" ? "host" : sent;
    const values = lines.get(name);
    if (values === undefined && name.startsWith("x-amz-")) return undefined;
    // Node decodes the bytes of a value as Latin-1.
    values?.push(Buffer.from(headers[index + 1] ?? "", "latin1").toString());
  }
  if (!lines.has("host") || [...lines.values()].some(({ length }) => length === 0)) return undefined;
  return Object.fromEntries([...lines].map(([name, values]) => [name, values.map(canonicalValue).join(",")]));
}
