const maxBytes = 255;
/** A longer extension is not kept. */
const maxExtensionBytes = 32;

/** Controls, marks that turn the direction of text, and the quote. */
const invisible = /[\p{Cc}\p{Bidi_Control}\uFEFF"]/gu;
/** Escapes that browsers use for quotes and line ends in multipart headers. */
const escapedByForms = /%22|%0d|%0a/gi;
const edge = /[.\s]/u;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/iu;

/**
 * Turns a file name from a client into a text that is safe to store, show and propose for saving; never a path.
 *
 * It is NFC and at most 255 bytes of UTF-8, with its extension. Folders, controls, marks of direction, quotes, and dots and spaces at both ends are gone; names of
 * Windows devices begin with `_`. If nothing is left, it is `unnamed`.
 *
 * @example
 * fileName("C:\\temp\\..\\report\u202Efdp.exe "); // "reportfdp.exe"
 */
export function fileName(given: string): string {
  const visible = given.toWellFormed().replace(escapedByForms, "").replace(invisible, "").normalize("NFC");
  const base = withoutEdges(visible.slice(Math.max(visible.lastIndexOf("/"), visible.lastIndexOf("\\")) + 1));
  const safe = device.test(base) ? `_${base}` : base;
  return shortened(safe) || "unnamed";
}

/** Shortens the part before the extension, between two characters. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf(".");
  const tail = dot === -1 ? "" : name.slice(dot);
  const extension = Buffer.byteLength(tail) <= maxExtensionBytes ? tail : "";
  const stem = name.slice(0, name.length - extension.length);
  const { read } = new TextEncoder().encodeInto(stem, new Uint8Array(maxBytes - Buffer.byteLength(extension)));
  return withoutEdges(stem.slice(0, read)) + extension;
}

/** Without a pattern: one that ends in `$` would restart at every space of a long run of spaces. */
function withoutEdges(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && edge.test(name.charAt(start))) start += 1;
  while (end > start && edge.test(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}
