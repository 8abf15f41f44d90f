import type { ByteRange } from "../storage/blobs.js";

const bytesUnit = /^bytes=(.*)$/i;
const intRange = /^(\d+)-(\d*)$/;
const suffixRange = /^-(\d+)$/;

/**
 * The one range of bytes that a Range header asks for, within so many bytes.
 *
 * `undefined` is the whole: where there is no header, where it is malformed or of another unit, where it asks for several ranges, and of what is empty.
 *
 * @param size of the whole, in bytes
 * @see RFC 9110 §14.1.2, §14.2
 * @example
 * parseRange("bytes=-500", 10_000); // { start: 9_500, end: 10_000 }
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const ranges = bytesUnit.exec(header ?? "")?.[1]?.split(",") ?? [];
  const [only, ...others] = ranges.map((range) => range.trim()).filter((range) => range !== "");
  // Clients put a range on every request to limit its answer: of nothing they may have all.
  if (only === undefined || others.length > 0 || size === 0) return undefined;
  const suffix = suffixRange.exec(only)?.[1];
  if (suffix !== undefined) return Number(suffix) === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(suffix)), end: size };
  const [, first, last] = intRange.exec(only) ?? [];
  if (first === undefined) return undefined;
  const start = Number(first);
  const end = last ? Number(last) + 1 : size;
  if (end <= start && last !== "") return undefined;
  return start >= size ? "unsatisfiable" : { start, end: Math.min(end, size) };
}
