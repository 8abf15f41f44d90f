import { ByteView } from "../byteView.js";

const orientationTag = 0x0112;

/**
 * The EXIF orientation of an image: 2 to 8; `undefined` if it is upright or not given.
 *
 * @param tiff EXIF from its TIFF header on
 * @see EXIF 2.32 §4.6.4
 */
export function readOrientation(tiff: Uint8Array): number | undefined {
  const view = new ByteView(tiff);
  const order = view.latin1(0, 2);
  if (order !== "II" && order !== "MM") return undefined;
  const uint16 = (at: number) => (order === "II" ? view.uint16Little(at) : view.uint16(at));
  const directory = order === "II" ? view.uint32Little(4) : view.uint32(4);
  const entries = uint16(directory);
  for (let index = 0; index < entries; index++) {
    const at = directory + 2 + 12 * index;
    if (at >= view.length) return undefined;
    if (uint16(at) !== orientationTag) continue;
    const orientation = uint16(at + 8);
    return orientation >= 2 && orientation <= 8 ? orientation : undefined;
  }
  return undefined;
}

/** EXIF with the orientation only. */
export function writeOrientation(orientation: number): Buffer {
  // Byte order, 42, offset of the directory; one entry: a number of two bytes; no further directory.
  return Buffer.from([77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]);
}
