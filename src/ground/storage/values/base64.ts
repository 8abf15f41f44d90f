/** The bits of the last character before the padding that encode nothing are 0, so that each value has one text. */
const base64 = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;

/**
 * Whether a text is base64 as encoders write it: with padding, and without white space.
 *
 * @see RFC 4648 §3.5
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && base64.test(text);
}
