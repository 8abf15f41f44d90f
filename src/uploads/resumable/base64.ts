const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The bytes of a text in base64, padded or not; `undefined` for any other text. */
export function fromBase64(text: string): Buffer | undefined {
  return base64.test(text) ? Buffer.from(text, "base64") : undefined;
}
