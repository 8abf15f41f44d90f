import type { ByteRange } from "../../ground/storage/files/blobs.js";

const bytesUnit = /^bytes=(.*)$/i;
const intRange = /^(\d+)-(\d*)$/;
const suffixRange = /^-(\d+)$/;

/**
 * Parses the one range of bytes in a Range header, within this many bytes.
 *
 * `undefined` stands for the whole: no header, a malformed header, another unit, several ranges, or an empty file.
 *
 * @param size of the whole, in bytes
 * @see RFC 9110 §14.1.2, §14.2
 * @example
 * parseRange("bytes=-500", 10_000); // { start: 9_500, end: 10_000 }
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const ranges = bytesUnit.exec(header ?? "")?.[1]?.split(",") ?? [];
  const [only, ...others] = ranges.map((range) => range.trim()).filter((range) => range !== "");
  // Some clients put a range on every request to limit the response: an empty file is sent as a whole.
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
