const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Whether a text is a token: the name of a header, a method.
 *
 * @see RFC 9110 section 5.6.2
 */
export function isToken(text: string): boolean {
  return token.test(text);
}
