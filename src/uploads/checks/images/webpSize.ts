import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

/** @see RFC 9649 §2 */
export function webpSize(view: ByteView): ImageSize | undefined {
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

/** Two numbers of 14 bits, each one less than it means. */
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
