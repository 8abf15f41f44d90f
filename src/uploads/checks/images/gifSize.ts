import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

/** The screen, or the first frame where that reaches beyond it: decoders differ in which of them they make room for. */
export function gifSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(0, 3) !== "GIF" || view.length < 13) return undefined;
  const frame = firstFrame(view, 13 + colourBytes(view.uint8(10)));
  if (frame === undefined) return undefined;
  const width = Math.max(view.uint16Little(6), view.uint16Little(frame + 1) + view.uint16Little(frame + 5));
  return { width, height: Math.max(view.uint16Little(8), view.uint16Little(frame + 3) + view.uint16Little(frame + 7)) };
}

/** Bytes of the table of colours that these flags announce. */
function colourBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Where the first frame begins, behind all extensions. */
function firstFrame(view: ByteView, start: number): number | undefined {
  let at = start;
  while (view.uint8(at) === 0x21) {
    at += 2;
    for (let length = view.uint8(at); length > 0; length = view.uint8(at)) at += 1 + length;
    at += 1;
  }
  return view.uint8(at) === 0x2c ? at : undefined;
}
