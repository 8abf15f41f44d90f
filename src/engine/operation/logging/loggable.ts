/** Control and format characters, line separators, and halves of surrogate pairs: what can forge a line, move a cursor or hide text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Texts in which drivers and libraries name credentials, and what is kept of them. */
const credentials: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^\s/"'?#]+@/g, "//[redacted]@"],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*).+/gi, "$1$2[redacted]"],
  [/(passw(?:or)?d|pwd|secret|token|signature|(?:api|access)[-_]?key)(["']?\s*[:=]\s*["']?)[^\s"'&,;]+/gi, "$1$2[redacted]"],
  [/\b(bearer|basic|apikey)\s+[\w.~+/=-]{8,}/gi, "$1 [redacted]"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_[redacted]"],
  [/([?&](?:s|x-amz-\w+(?:-\w+)*)=)[^&\s"']{16,}/gi, "$1[redacted]"],
];

/**
 * Makes a text safe for a log line: escapes control characters, removes credentials, and keeps at most 256 characters, or as many as given.
 *
 * @example
 * loggable("postgres://ada:secret@db/shop\n"); // "postgres://[redacted]@db/shop\\u000a"
 */
export function loggable(text: string, maxCharacters = 256): string {
  // A credential may end after the last character that is kept.
  let clean = text.slice(0, maxCharacters * 4);
  for (const [pattern, kept] of credentials) clean = clean.replace(pattern, kept);
  const isCut = clean.length > maxCharacters || text.length > maxCharacters * 4;
  const escaped = clean.slice(0, maxCharacters).replace(unsafe, escapeCharacter);
  return isCut ? `${escaped}…` : escaped;
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
