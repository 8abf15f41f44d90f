import { unscannable } from "../rejection.js";

const encodings: ReadonlySet<string> = new Set(["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "windows-1252"]);
/** More leading zeros than this only occur in attempts to hide a character. */
const strange = /<!(?:DOCTYPE|ENTITY)|&#x?0{32}/i;
const declaration = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/i;

/**
 * A part of a document as text, with names and addresses as an XML parser reads them.
 *
 * @throws {ProblemError} UNSCANNABLE for other encodings, and for document types, which can define texts
 */
export function xmlText(bytes: Uint8Array): string {
  const text = decode(bytes);
  const encoding = declaration.exec(text)?.[1]?.toLowerCase() ?? "utf-8";
  if (!encodings.has(encoding)) throw unscannable(`The document has XML in the encoding "${encoding}".`);
  // UTF-16 without a byte-order mark contains NUL.
  if (!/^\s*</.test(text) || text.includes("\0") || strange.test(text)) {
    throw unscannable("The document has XML with a document type, or a part that must be XML and is not.");
  }
  return text.replace(/&#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}));/gi, (_all, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
