import { ByteView } from "../byteView.js";
import { avifSize } from "./avifSize.js";

/** In pixels, as a decoder lays the image out, before any orientation is applied. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const readers = [pngSize, jpegSize, gifSize, webpSize, avifSize, bmpSize];

/**
 * The size of an image, read from its headers; nothing is decoded. Supports PNG, JPEG, GIF, WebP, AVIF (and HEIC), and BMP.
 *
 * @returns `undefined` if it is none of these, is damaged, or more bytes are needed
 * @example
 * imageSize(await readFile("photo.jpg")); // { width: 4032, height: 3024 }
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new ByteView(bytes);
  for (const read of readers) {
    const size = read(view);
    if (size !== undefined) return size.width > 0 && size.height > 0 ? size : undefined;
  }
  return undefined;
}

/** The OS/2 header has sizes of two bytes; in other headers a negative height means that rows are stored top down. */
function bmpSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 2) !== "BM") return undefined;
  if (view.uint32Little(14) === 12) return { width: view.uint16Little(18), height: view.uint16Little(20) };
  return { width: view.uint32Little(18), height: Math.abs(view.uint32Little(22) | 0) };
}

/** The screen, or the first frame if it is larger: decoders differ in which of them they allocate. */
function gifSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 3) !== "GIF" || view.length < 13) return undefined;
  const frame = firstFrame(view, 13 + colourBytes(view.uint8(10)));
  if (frame === undefined) return undefined;
  const width = Math.max(view.uint16Little(6), view.uint16Little(frame + 1) + view.uint16Little(frame + 5));
  return { width, height: Math.max(view.uint16Little(8), view.uint16Little(frame + 3) + view.uint16Little(frame + 7)) };
}

/** Size of the colour table by its flags, in bytes. */
function colourBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Start of the first frame, after all extensions. */
function firstFrame(view: ByteView, start: number): number | undefined {
  let at = start;
  while (view.uint8(at) === 0x21) {
    at += 2;
    for (let length = view.uint8(at); length > 0; length = view.uint8(at)) at += 1 + length;
    at += 1;
  }
  return view.uint8(at) === 0x2c ? at : undefined;
}

/** @see ITU-T T.81 §B.2.2 */
function jpegSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 3) !== "\xff\xd8\xff") return undefined;
  let at = 2;
  while (view.uint8(at) === 0xff) {
    const marker = view.uint8(at + 1);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) return { height: view.uint16(at + 5), width: view.uint16(at + 7) };
    const length = view.uint16(at + 2);
    if (isWithoutLength(marker) || !(length >= 2)) return undefined;
    at += 2 + length;
  }
  return undefined;
}

/** SOF0 to SOF15 without the markers of tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Restarts, begin and end of the image, the scan, and undefined markers: no frame header follows them. */
function isWithoutLength(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xda) || marker < 0xc0;
}

/** @see PNG (Third Edition) §11.2.1 */
function pngSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 8) !== "\x89PNG\r\n\x1a\n" || view.latin1(12, 16) !== "IHDR") return undefined;
  return { width: view.uint32(16), height: view.uint32(20) };
}

/** @see RFC 9649 §2 */
function webpSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 4) !== "RIFF" || view.latin1(8, 12) !== "WEBP") return undefined;
  switch (view.latin1(12, 16)) {
    case "VP8X":
      return { width: view.uint24Little(24) + 1, height: view.uint24Little(27) + 1 };
    case "VP8L":
      return losslessSize(view);
    case "VP8 ":
      return lossySize(view);
    default:
      return undefined;
  }
}

/** Two numbers of 14 bits, each stored minus one. */
function losslessSize(view: ByteView): ImageSize | undefined {
  if (view.uint8(20) !== 0x2f || view.length < 25) return undefined;
  const bits = view.uint32Little(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** @see RFC 6386 §9.1 */
function lossySize(view: ByteView): ImageSize | undefined {
  if (view.latin1(23, 26) !== "\x9d\x01\x2a") return undefined;
  return { width: view.uint16Little(26) & 0x3fff, height: view.uint16Little(28) & 0x3fff };
}
