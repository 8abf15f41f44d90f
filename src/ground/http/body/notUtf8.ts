/** Whether bytes begin as those of gzip do. No text in UTF-8 does. @see RFC 1952 §2.3.1 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** What to say of a body that is not UTF-8. */
export function notUtf8(bytes: Uint8Array): string {
  if (!isGzip(bytes)) return "The body is not valid UTF-8.";
  return 'The body is compressed with gzip, which its Content-Encoding does not say. Send it uncompressed, or with "Content-Encoding: gzip" if this service decodes it.';
}
