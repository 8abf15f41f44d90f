const frameMagic = 0xfd2fb528;

/** The last four bits of the magic number of a skippable frame are free. */
const skippableMagic = 0x184d2a5;

const dictionaryIdBytes = [0, 1, 2, 4] as const;
const contentSizeBytes = [0, 2, 4, 8] as const;

/**
 * Whether bytes end where a zstd frame ends. Follows the lengths in the headers of frames and blocks, without decoding: `node:zlib` decodes an incomplete frame without an
 * error before Node.js 24.20.
 *
 * @see RFC 8878 §3.1
 */
export function endsWithZstdFrame(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  do {
    const end = endOfFrame(view, at);
    if (end === undefined) return false;
    at = end;
  } while (at < bytes.length);
  return at === bytes.length;
}

/** Where a frame ends, which may be past the end of the bytes; `undefined` if its headers are incomplete or invalid. */
function endOfFrame(view: DataView, start: number): number | undefined {
  if (start + 8 > view.byteLength) return undefined;
  const magic = view.getUint32(start, true);
  if (magic >>> 4 === skippableMagic) return start + 8 + view.getUint32(start + 4, true);
  if (magic !== frameMagic) return undefined;
  const descriptor = view.getUint8(start + 4);
  const hasChecksum = (descriptor & 4) !== 0;
  const end = endOfBlocks(view, start + 5 + headerFieldBytes(descriptor));
  return end !== undefined && hasChecksum ? end + 4 : end;
}

/** The length of what stands between the frame header descriptor and the first block. @see RFC 8878 §3.1.1.1 */
function headerFieldBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 32) !== 0;
  const sizeFlag = descriptor >>> 6;
  const windowBytes = isSingleSegment ? 0 : 1;
  const sizeBytes = isSingleSegment && sizeFlag === 0 ? 1 : (contentSizeBytes[sizeFlag] ?? 0);
  return windowBytes + (dictionaryIdBytes[descriptor & 3] ?? 0) + sizeBytes;
}

/** @see RFC 8878 §3.1.1.2 */
function endOfBlocks(view: DataView, start: number): number | undefined {
  let at = start;
  while (at + 3 <= view.byteLength) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const type = (header >>> 1) & 3;
    if (type === reservedType) return undefined;
    at += 3 + (type === repeatedByteType ? 1 : header >>> 3);
    if ((header & 1) !== 0) return at;
  }
  return undefined;
}

/** The size in the header of such a block counts repetitions of the one byte that follows. */
const repeatedByteType = 1;
const reservedType = 3;
