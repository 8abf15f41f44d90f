import { ByteView } from "../byteView.js";
import { avifSize } from "./avifSize.js";
import { bmpSize } from "./bmpSize.js";
import { gifSize } from "./gifSize.js";
import { jpegSize } from "./jpegSize.js";
import { pngSize } from "./pngSize.js";
import { webpSize } from "./webpSize.js";

/** In pixels, as a decoder lays the image out, before any orientation is applied. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const readers = [pngSize, jpegSize, gifSize, webpSize, avifSize, bmpSize];

/**
 * How large an image is, read from what it says at its beginning; nothing is decoded. Knows PNG, JPEG, GIF, WebP, AVIF (and HEIC), and BMP.
 *
 * @returns `undefined` where it is none of these, damaged, or where more bytes are needed
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
