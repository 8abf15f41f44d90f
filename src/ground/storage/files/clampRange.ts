import type { ByteRange } from "./blobs.js";

/** The part of a range that lies within this many bytes; all of them without a range. A range after the end becomes empty. */
export function clampRange(range: ByteRange | undefined, size: number): ByteRange {
  if (range === undefined) return { start: 0, end: size };
  const start = Math.min(Math.max(range.start, 0), size);
  return { start, end: Math.min(Math.max(range.end, start), size) };
}
