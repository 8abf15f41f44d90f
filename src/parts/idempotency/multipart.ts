import { createHash } from "node:crypto";

/**
 * A digest of a multipart body that ignores the boundary, because clients choose a new one for each attempt. It covers the headers, the content and the order
 * of the parts.
 *
 * @returns `undefined` if the body does not have the boundary.
 * @see RFC 2046 §5.1.1
 */
export function multipartDigest(bytes: Uint8Array, boundary: string): Uint8Array | undefined {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  // The first delimiter may be at the very beginning.
  const body = Buffer.concat([Buffer.from("\r\n"), bytes]);
  const whole = createHash("sha256");
  let start = body.indexOf(delimiter);
  if (start === -1) return undefined;
  while (start !== -1) {
    start += delimiter.length;
    if (body.toString("latin1", start, start + 2) === "--") break;
    const end = body.indexOf(delimiter, start);
    const part = body.subarray(start, end === -1 ? body.length : end);
    whole.update(createHash("sha256").update(part).digest());
    start = end;
  }
  return whole.digest();
}
