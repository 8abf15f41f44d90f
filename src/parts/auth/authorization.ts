import type { AuthRequest } from "./verifier.js";

/** The text after a scheme in the Authorization header; `undefined` if it names another scheme or none, empty if nothing follows. */
export function credentialsOf({ headers }: AuthRequest, scheme: string): string | undefined {
  const header = headers.get("authorization");
  if (header === undefined || header.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase()) return undefined;
  if (header.length === scheme.length) return "";
  return header[scheme.length] === " " ? header.slice(scheme.length).trim() : undefined;
}

const token68 = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Whether a text can be the credentials of Bearer, Basic and the like.
 *
 * @see RFC 9110 §11.2
 */
export function isToken68(text: string): boolean {
  return token68.test(text);
}
