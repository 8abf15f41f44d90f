import { fileName } from "./fileName.js";

/** Whether a browser shows the bytes or saves them. */
export type Disposition = "attachment" | "inline";

/**
 * The value of Content-Disposition: with the name in ASCII and, if that is not the full name, also in UTF-8 for clients that support this parameter.
 *
 * @param name as a client sent it; it is made safe here
 * @see RFC 6266 §4, Appendix D; RFC 8187 §3.2
 * @example
 * contentDisposition("attachment", "Übersicht.csv"); // `attachment; filename="Ubersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`
 */
export function contentDisposition(disposition: Disposition, name?: string | undefined): string {
  if (name === undefined) return disposition;
  const full = fileName(name);
  const ascii = asciiName(full);
  const inAscii = `${disposition}; filename="${ascii}"`;
  return ascii === full ? inAscii : `${inAscii}; filename*=UTF-8''${extendedValue(full)}`;
}

/** Removes diacritics; every other non-ASCII character becomes `_`, and so do `%` and `\`, which browsers read as the beginning of an escape. */
function asciiName(name: string): string {
  const letters = name.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
  return fileName(letters.replace(/[^\x20-\x7e]|[%\\"]/gu, "_"));
}

/** `encodeURIComponent` leaves four characters that are not an `attr-char`. */
function extendedValue(name: string): string {
  return encodeURIComponent(name).replace(/[*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
