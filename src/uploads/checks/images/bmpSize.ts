import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

/** The header of OS/2 has its sizes in two bytes each; in others, a negative height says that the rows come from above. */
export function bmpSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 2) !== "BM") return undefined;
  if (view.uint32Little(14) === 12) return { width: view.uint16Little(18), height: view.uint16Little(20) };
  return { width: view.uint32Little(18), height: Math.abs(view.uint32Little(22) | 0) };
}
