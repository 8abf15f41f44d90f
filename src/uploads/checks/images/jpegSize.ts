import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

/** @see ITU-T T.81 §B.2.2 */
export function jpegSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 3) !== "\xff\xd8\xff") return undefined;
  let at = 2;
  while (view.uint8(at) === 0xff) {
    const marker = view.uint8(at + 1);
    // Any number of these may stand before a marker.
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

/** SOF0 to SOF15; among them are tables, which are no frames. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Restarts, begin and end, the scan, and bytes that mean nothing here: no frame comes behind them. */
function isWithoutLength(marker: number): boolean {
  return (marker >= 0xd0 && marker <= 0xda) || marker < 0xc0;
}
