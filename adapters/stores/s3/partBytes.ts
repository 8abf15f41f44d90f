const mebibyte = 1_048_576;
/** The smallest part that S3 accepts, except the last one: 5 MiB. Some services require parts of equal length. */
const smallestPart = 8 * mebibyte;
/** The most parts that S3 accepts. */
export const maxParts = 10_000;

/** The largest blob with parts of the default length: 78 GiB. Each part is collected in memory until it is full, so parts are not larger than needed. */
export const maxUnannouncedBytes = maxParts * smallestPart;

/**
 * The length of the parts of a blob, in bytes.
 *
 * @param size of the blob in bytes; if it is not known, the blob may have 78 GiB
 * @param parts the most parts that it may have
 */
export function partBytesFor(size: number | undefined, parts = maxParts): number {
  const wanted = Math.ceil(Math.ceil((size ?? 0) / parts) / mebibyte) * mebibyte;
  return Math.max(smallestPart, wanted);
}

/** The most parts of one blob in flight: 32 MiB together, but at least one. */
export function partsAtOnce(partBytes: number): number {
  return Math.max(1, Math.floor((4 * smallestPart) / partBytes));
}
