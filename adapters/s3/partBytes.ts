const mebibyte = 1_048_576;
/** S3 takes parts from 5 MiB on, all but the last; some servers want all of one size. */
const smallestPart = 8 * mebibyte;
/** S3 takes no more. */
export const mostParts = 10_000;

/** What there is room for without larger parts, each of which waits in memory until it is full: 78 GiB. */
export const mostUnannouncedBytes = mostParts * smallestPart;

/**
 * How large the parts of a blob are, in bytes.
 *
 * @param size of the blob in bytes, where it is known; without it there is room for 78 GiB
 * @param parts that it may have at most
 */
export function partBytesFor(size: number | undefined, parts = mostParts): number {
  const wanted = Math.ceil(Math.ceil((size ?? 0) / parts) / mebibyte) * mebibyte;
  return Math.max(smallestPart, wanted);
}

/** How many parts of a blob are on their way at once: 32 MiB together, and one at least. */
export function partsAtOnce(partBytes: number): number {
  return Math.max(1, Math.floor((4 * smallestPart) / partBytes));
}
