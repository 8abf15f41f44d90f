/**
 * Percent-encodes everything but unreserved characters, in upper case, as signatures require.
 *
 * @throws {URIError} for a lone surrogate
 * @see RFC 3986 §2.3
 */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
