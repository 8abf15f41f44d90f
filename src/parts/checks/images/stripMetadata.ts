import { stripJpeg } from "./stripJpeg.js";
import { stripPng } from "./stripPng.js";
import { stripWebp } from "./stripWebp.js";

const strippers: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array[] | undefined> = new Map([
  ["image/jpeg", stripJpeg],
  ["image/png", stripPng],
  ["image/webp", stripWebp],
]);

/** The types that {@link stripMetadata} supports. */
export const strippableTypes: ReadonlySet<string> = new Set(strippers.keys());

/**
 * An image without its metadata: places, cameras, names, thumbnails, comments, and anything after its end. The image data is not changed; the colour
 * profile and the orientation stay.
 *
 * @param type `image/jpeg`, `image/png` or `image/webp`
 * @returns `undefined` for another type, and for an image that is damaged
 * @example
 * const shared = stripMetadata(await readFile("photo.jpg"), "image/jpeg");
 */
export function stripMetadata(bytes: Uint8Array, type: string): Uint8Array | undefined {
  const parts = strippers.get(type)?.(bytes);
  return parts && Buffer.concat(parts);
}
