const mostBytes = 255;
/** What is longer behind a dot is no extension that is worth keeping. */
const mostExtensionBytes = 32;

/** Controls, marks that turn the direction of text, and the quote. */
const invisible = /[\p{Cc}\p{Bidi_Control}\uFEFF"]/gu;
/** As browsers write quotes and line ends into multipart headers. */
const escapedByForms = /%22|%0d|%0a/gi;
const edge = /[.\s]/u;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/iu;

/**
 * A file name that a client sent, as text that may be kept, shown and proposed for saving; never a path to anything.
 *
 * It is NFC and at most 255 bytes of UTF-8, with its extension. Folders, controls, marks of direction, quotes, and dots and spaces at both ends are gone; names of
 * Windows devices begin with `_`. Where nothing is left it is `unnamed`.
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

/** Cuts what is before the extension, between two characters. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= mostBytes) return name;
  const dot = name.lastIndexOf(".");
  const tail = dot === -1 ? "" : name.slice(dot);
  const extension = Buffer.byteLength(tail) <= mostExtensionBytes ? tail : "";
  const stem = name.slice(0, name.length - extension.length);
  const { read } = new TextEncoder().encodeInto(stem, new Uint8Array(mostBytes - Buffer.byteLength(extension)));
  return withoutEdges(stem.slice(0, read)) + extension;
}

/** By hand: a pattern that ends in `$` tries anew at every space of a name that is made of them. */
function withoutEdges(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && edge.test(name.charAt(start))) start += 1;
  while (end > start && edge.test(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}
