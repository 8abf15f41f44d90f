import { ByteView } from "../byteView.js";
import { maxImageParts } from "./maxImageParts.js";
import { readOrientation, writeOrientation } from "./orientation.js";

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

const image: ReadonlySet<string> = new Set(["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]);
const frame: ReadonlySet<string> = new Set(["ALPH", "VP8 ", "VP8L"]);
const hasExif = 0x08;
const hasXmp = 0x04;
/** A frame of an animation begins with its position and duration. */
const frameHeadBytes = 16;

/** `undefined` for a WebP that is damaged. @see RFC 9649 §2.7 */
export function stripWebp(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new ByteView(bytes);
  const end = 8 + view.uint32Little(4);
  if (view.latin1(0, 4) !== "RIFF" || view.latin1(8, 12) !== "WEBP" || !(end <= view.length)) return undefined;
  const chunks = readChunks(bytes.subarray(12, end));
  if (chunks === undefined || chunks.length === 0 || !chunks.every(hasWholeFrames)) return undefined;
  const orientation = chunks[0]?.type === "VP8X" ? orientationOf(chunks) : undefined;
  const parts: Uint8Array[] = [];
  for (const chunk of chunks) {
    const data = image.has(chunk.type) ? strippedData(chunk, orientation !== undefined) : undefined;
    if (data !== undefined) parts.push(...writeChunk(chunk.type, data));
  }
  if (orientation !== undefined) parts.push(...writeChunk("EXIF", writeOrientation(orientation)));
  const head = Buffer.from("RIFF\0\0\0\0WEBP");
  head.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return [head, ...parts];
}

function readChunks(bytes: Uint8Array): Chunk[] | undefined {
  const view = new ByteView(bytes);
  const chunks: Chunk[] = [];
  for (let at = 0; at < view.length; ) {
    const length = view.uint32Little(at + 4);
    const end = at + 8 + length;
    if (!(end <= view.length) || chunks.length >= maxImageParts) return undefined;
    chunks.push({ type: view.latin1(at, at + 4), data: bytes.subarray(at + 8, end) });
    at = end + (length % 2);
  }
  return chunks;
}

function hasWholeFrames({ type, data }: Chunk): boolean {
  return type !== "ANMF" || readChunks(data.subarray(frameHeadBytes)) !== undefined;
}

function strippedData({ type, data }: Chunk, keepsExif: boolean): Uint8Array | undefined {
  if (type === "VP8X") {
    const changed = Buffer.from(data);
    changed[0] = ((data[0] ?? 0) & ~(hasExif | hasXmp)) | (keepsExif ? hasExif : 0);
    return changed;
  }
  if (type !== "ANMF") return data;
  const inner = readChunks(data.subarray(frameHeadBytes)) ?? [];
  return Buffer.concat([
    data.subarray(0, frameHeadBytes),
    ...inner.filter((one) => frame.has(one.type)).flatMap((one) => writeChunk(one.type, one.data)),
  ]);
}

function orientationOf(chunks: readonly Chunk[]): number | undefined {
  const exif = chunks.find(({ type }) => type === "EXIF")?.data;
  if (exif === undefined) return undefined;
  // Some programs write the JPEG marker before it.
  return readOrientation(new ByteView(exif).latin1(0, 6) === "Exif\0\0" ? exif.subarray(6) : exif);
}

/** Chunks begin at even offsets. */
function writeChunk(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
  head.writeUInt32LE(data.length, 4);
  return [head, data, ...(data.length % 2 === 1 ? [Buffer.alloc(1)] : [])];
}
