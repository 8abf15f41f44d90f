import { detectType } from "../types/detectType.js";
import { imageElements } from "./svgNames.js";

const image = /^data:image\/(?:png|jpeg|jpg|gif|webp|avif);base64,/;
const raster: ReadonlySet<string | undefined> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** In base64: enough to tell what it is. */
const beginning = 4_096;

/** Whether a reference leads to a place in the drawing, or to an image of pixels that is in the reference itself. */
export function isSafeReference(element: string, reference: string): boolean {
  if (/^\s*#[^\s"'<>]*\s*$/.test(reference)) return true;
  if (!imageElements.has(element)) return false;
  const prefix = image.exec(reference)?.[0] ?? "";
  const data = reference.slice(prefix.length);
  if (prefix === "" || /[^A-Za-z0-9+/=\s]/.test(data)) return false;
  return raster.has(detectType(Buffer.from(data.slice(0, beginning), "base64")));
}
