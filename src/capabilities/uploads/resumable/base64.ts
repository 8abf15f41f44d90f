const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Decodes base64 with or without padding; `undefined` if the text is invalid. */
export function fromBase64(text: string): Buffer | undefined {
  return base64.test(text) ? Buffer.from(text, "base64") : undefined;
}
