import type { ByteView } from "../byteView.js";
import type { ImageSize } from "./imageSize.js";

interface Box {
  readonly type: string;
  /** Start and end of its contents. */
  readonly start: number;
  readonly end: number;
}

/** The largest of all images in the file; the displayed one may be composed of others. @see ISO/IEC 23008-12 §6.5.3 */
export function avifSize(view: ByteView): ImageSize | undefined {
  if (view.latin1(4, 8) !== "ftyp") return undefined;
  const meta = find(view, 0, view.length, "meta");
  // The contents of `meta` and of `ispe` begin with a version and flags.
  const properties = meta && find(view, meta.start + 4, meta.end, "iprp");
  const container = properties && find(view, properties.start, properties.end, "ipco");
  if (container === undefined) return undefined;
  let largest: ImageSize | undefined;
  for (const { type, start } of boxes(view, container.start, container.end)) {
    if (type !== "ispe") continue;
    const size = { width: view.uint32(start + 4), height: view.uint32(start + 8) };
    if (largest === undefined || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

function find(view: ByteView, start: number, end: number, wanted: string): Box | undefined {
  for (const box of boxes(view, start, end)) {
    if (box.type === wanted) return box;
  }
  return undefined;
}

/** The complete boxes of a range. @see ISO/IEC 14496-12 §4.2 */
function* boxes(view: ByteView, start: number, end: number): Generator<Box, void, undefined> {
  let at = start;
  while (at + 8 <= end) {
    const short = view.uint32(at);
    const headBytes = short === 1 ? 16 : 8;
    const length = short === 1 ? view.uint32(at + 8) * 2 ** 32 + view.uint32(at + 12) : short === 0 ? end - at : short;
    if (!(length >= headBytes && at + length <= end)) return;
    yield { type: view.latin1(at + 4, at + 8), start: at + headBytes, end: at + length };
    at += length;
  }
}
