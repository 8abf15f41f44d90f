import { ByteView } from "../byteView.js";
import { maxImageParts } from "./maxImageParts.js";
import { readOrientation, writeOrientation } from "./orientation.js";

const endOfImage = 0xd9;
const startOfScan = 0xda;
const comment = 0xfe;

/** `undefined` for a JPEG that is damaged or has no end. @see ITU-T T.81 §B.1 */
export function stripJpeg(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new ByteView(bytes);
  if (view.latin1(0, 3) !== "\xff\xd8\xff") return undefined;
  const parts = [bytes.subarray(0, 2)];
  let at = 2;
  while (view.uint8(at) === 0xff && parts.length <= maxImageParts) {
    const marker = view.uint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) {
      // Whatever follows, such as a second image, does not belong to this one.
      parts.push(bytes.subarray(at, at + 2));
      return parts;
    }
    const length = view.uint16(at + 2);
    let end = at + 2 + length;
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || !(length >= 2) || end > view.length) return undefined;
    if (marker === startOfScan) end = scanEnd(bytes, end);
    parts.push(...strippedSegment(marker, bytes.subarray(at, end)));
    at = end;
  }
  return undefined;
}

/** End of the coded data of a scan: a marker other than a restart or an escaped FF. */
function scanEnd(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

/** The parts of a segment that stay: what the image, its colours and its orientation need. */
function strippedSegment(marker: number, segment: Uint8Array): Uint8Array[] {
  const isApplication = marker >= 0xe0 && marker <= 0xef;
  if (!isApplication && marker !== comment) return [segment];
  const text = new ByteView(segment).latin1(4, 16);
  if (marker === 0xe0 && text.startsWith("JFIF\0")) return withoutThumbnail(segment);
  if (marker === 0xe1 && text.startsWith("Exif\0")) return orientationSegment(segment.subarray(10));
  const isKept = (marker === 0xe2 && text.startsWith("ICC_PROFILE\0")) || (marker === 0xee && text.startsWith("Adobe"));
  return isKept ? [segment] : [];
}

/** @see JFIF 1.02 §4 */
function withoutThumbnail(segment: Uint8Array): Uint8Array[] {
  if (segment.length < 18) return [];
  const kept = Buffer.from(segment.subarray(0, 18));
  kept.writeUInt16BE(16, 2);
  kept.writeUInt16BE(0, 16);
  return [kept];
}

function orientationSegment(tiff: Uint8Array): Uint8Array[] {
  const orientation = readOrientation(tiff);
  if (orientation === undefined) return [];
  const body = writeOrientation(orientation);
  const head = Buffer.from("\xff\xe1\0\0Exif\0\0", "latin1");
  head.writeUInt16BE(head.length - 2 + body.length, 2);
  return [head, body];
}
