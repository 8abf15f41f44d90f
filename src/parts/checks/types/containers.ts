import { detectCompoundFile } from "./compoundFileType.js";
import { detectZip } from "./zipType.js";

/** The type of a container file: ZIP, OLE, RIFF, ISO media, EBML, and bare audio frames. */
export function detectContainer(head: Buffer, extension: string): string | undefined {
  const magic = head.toString("latin1", 0, 4);
  if (magic === "PK\x03\x04" || magic === "PK\x05\x06") return detectZip(head, extension);
  if (head.toString("latin1", 0, 8) === "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") return detectCompoundFile(head, extension);
  if (magic === "RIFF") return riffTypes.get(head.toString("latin1", 8, 12));
  if (head.toString("latin1", 4, 8) === "ftyp") return detectMedia(head, extension);
  if (magic === "\x1a\x45\xdf\xa3") return detectMatroska(head);
  if (magic.startsWith("BM")) return isBitmap(head) ? "image/bmp" : undefined;
  return detectFrames(head);
}

const riffTypes: ReadonlyMap<string, string> = new Map([
  ["WEBP", "image/webp"],
  ["WAVE", "audio/wav"],
  ["AVI ", "video/vnd.avi"],
]);

/** Brands in order of precedence; an image is never a film. */
const brands: readonly (readonly [type: string, brands: readonly string[]])[] = [
  ["image/avif", ["avif", "avis"]],
  ["image/heic", ["heic", "heix", "heim", "heis", "hevc", "hevx"]],
  ["audio/mp4", ["M4A ", "M4B "]],
  ["video/quicktime", ["qt  "]],
  ["video/mp4", ["isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "M4VH", "M4VP", "dash", "MSNV"]],
  ["video/3gpp", ["3gp4", "3gp5", "3gp6", "3gp7", "3ge6", "3gg6"]],
];

/** @see ISO/IEC 14496-12 §4.3 */
function detectMedia(head: Buffer, extension: string): string | undefined {
  const end = Math.min(head.readUInt32BE(0), head.length, 256);
  const major = head.toString("latin1", 8, 12);
  const all = [major];
  for (let at = 16; at + 4 <= end; at += 4) all.push(head.toString("latin1", at, at + 4));
  const type = typeOfBrands([major]) ?? typeOfBrands(all);
  // Files with sound only often have the brands of films.
  return type === "video/mp4" && (extension === "m4a" || extension === "m4b") ? "audio/mp4" : type;
}

function typeOfBrands(found: readonly string[]): string | undefined {
  return brands.find(([, own]) => own.some((brand) => found.includes(brand)))?.[0];
}

/** @see RFC 8794 §11.2.7 */
function detectMatroska(head: Buffer): string | undefined {
  const documentType = head.toString("latin1", 0, 64).match(/\x42\x82[\x84\x88](webm|matroska)/)?.[1];
  return documentType === undefined ? undefined : `video/${documentType}`;
}

/** Two letters are too few, so the header size after them must be a known one. */
function isBitmap(head: Buffer): boolean {
  return head.length >= 26 && [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14));
}

/** Audio without a container begins with the header of its first frame. */
function detectFrames(head: Buffer): string | undefined {
  const [first = 0, second = 0, third = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) return "audio/aac";
  const hasRates = (third & 0xf0) !== 0xf0 && (third & 0xf0) !== 0 && (third & 0x0c) !== 0x0c;
  return (second & 0x18) !== 0x08 && (second & 0x06) === 0x02 && hasRates ? "audio/mpeg" : undefined;
}
