import { crc32 } from "node:zlib";
import { ByteView } from "../byteView.js";
import { maxImageParts } from "./maxImageParts.js";
import { readOrientation, writeOrientation } from "./orientation.js";

/** Chunks that affect the picture; other ancillary chunks are dropped. */
const kept: ReadonlySet<string> = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);

/** `undefined` for a PNG that is damaged or has an unknown critical chunk. @see PNG (Third Edition) §5 */
export function stripPng(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new ByteView(bytes);
  if (view.latin1(0, 8) !== "\x89PNG\r\n\x1a\n") return undefined;
  const parts = [bytes.subarray(0, 8)];
  let at = 8;
  for (let read = 0; read < maxImageParts; read++) {
    const length = view.uint32(at);
    const type = view.latin1(at + 4, at + 8);
    const end = at + 12 + length;
    if (!(end <= view.length) || !/^[A-Za-z]{4}$/.test(type)) return undefined;
    if (kept.has(type)) parts.push(bytes.subarray(at, end));
    else if (type === "eXIf") parts.push(...orientationChunk(bytes.subarray(at + 8, end - 4)));
    else if (isCritical(type)) return undefined;
    // What follows the end does not belong to the image.
    if (type === "IEND") return parts;
    at = end;
  }
  return undefined;
}

function isCritical(type: string): boolean {
  return /^[A-Z]/.test(type);
}

function orientationChunk(exif: Uint8Array): Buffer[] {
  const orientation = readOrientation(exif);
  if (orientation === undefined) return [];
  const body = Buffer.concat([Buffer.from("eXIf"), writeOrientation(orientation)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return [Buffer.concat([length, body, sum])];
}
