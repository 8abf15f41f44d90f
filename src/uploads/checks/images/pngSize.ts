import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

/** @see PNG (Third Edition) §11.2.1 */
export function pngSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 8) !== "\x89PNG\r\n\x1a\n" || view.latin1(12, 16) !== "IHDR") return undefined;
  return { width: view.uint32(16), height: view.uint32(20) };
}
