import { crc32, deflateSync } from "node:zlib";

export function pngChunk(type: string, data: Uint8Array | string = ""): Buffer {
  const body = Buffer.concat([Buffer.from(type), Buffer.from(data)]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length - 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, sum]);
}

export function pngHeader(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([8, 2], 8);
  return pngChunk("IHDR", data);
}

const pngMagic = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A PNG that says it has this size, and further chunks in front of its one pixel. */
export function png(width = 1, height = 1, chunks: readonly Buffer[] = [], tail: Uint8Array | string = ""): Buffer {
  return Buffer.concat([
    pngMagic,
    pngHeader(width, height),
    ...chunks,
    pngChunk("IDAT", deflateSync(Buffer.alloc(4))),
    pngChunk("IEND"),
    Buffer.from(tail),
  ]);
}

export function jpegSegment(marker: number, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

export function jpegFrame(width: number, height: number, marker = 0xc0): Buffer {
  const data = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  data.writeUInt16BE(height, 1);
  data.writeUInt16BE(width, 3);
  return jpegSegment(marker, data);
}

/** The scan of a JPEG, with a restart and a byte FF in it. */
export const jpegScan: Buffer = Buffer.concat([jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3])]);

/** A JPEG with further segments in front of its frame. */
export function jpeg(width = 1, height = 1, segments: readonly Buffer[] = [], tail: Uint8Array | string = ""): Buffer {
  const jfif = jpegSegment(0xe0, "JFIF\0\x01\x02\0\0\x01\0\x01\0\0");
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jfif,
    ...segments,
    jpegFrame(width, height),
    jpegScan,
    Buffer.from([0xff, 0xd9]),
    Buffer.from(tail),
  ]);
}

/** EXIF with a make, an orientation and a place. */
export function exif(orientation: number, order: "II" | "MM" = "II"): Buffer {
  const little = order === "II";
  const entries: readonly (readonly [tag: number, type: number, value: number])[] = [
    [0x010f, 2, 0x41424300],
    [0x0112, 3, little ? orientation : orientation * 65_536],
    [0x8825, 4, 0],
  ];
  const bytes = Buffer.alloc(10 + 12 * entries.length + 4 + 8);
  const write16 = (value: number, at: number) => (little ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at));
  const write32 = (value: number, at: number) => (little ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at));
  bytes.write(order, 0);
  write16(42, 2);
  write32(8, 4);
  write16(entries.length, 8);
  for (const [index, [tag, type, value]] of entries.entries()) {
    write16(tag, 10 + 12 * index);
    write16(type, 12 + 12 * index);
    write32(1, 14 + 12 * index);
    write32(value, 18 + 12 * index);
  }
  bytes.write("SECRET", bytes.length - 8);
  return bytes;
}

export function webpChunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const head = Buffer.alloc(8);
  head.write(type);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

export function webp(chunks: readonly Buffer[], tail = ""): Buffer {
  const body = Buffer.concat(chunks);
  const head = Buffer.from("RIFF\0\0\0\0WEBP");
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body, Buffer.from(tail)]);
}

export function webpLossy(width: number, height: number): Buffer {
  const data = Buffer.alloc(20);
  data.set([0x10, 0, 0, 0x9d, 0x01, 0x2a]);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return webpChunk("VP8 ", data);
}

export function webpLossless(width: number, height: number): Buffer {
  const data = Buffer.alloc(9);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  return webpChunk("VP8L", data);
}

export function webpExtended(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk("VP8X", data);
}

/** A GIF whose first frame has a size and a place of its own. */
export function gif(
  width: number,
  height: number,
  frame: { readonly left?: number; readonly width?: number; readonly height?: number } = {},
): Buffer {
  const head = Buffer.from("GIF89a\0\0\0\0\x80\0\0", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);
  const comment = Buffer.from([0x21, 0xfe, 2, 0x41, 0x42, 0]);
  const image = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0x44, 0, 0x3b]);
  image.writeUInt16LE(frame.left ?? 0, 1);
  image.writeUInt16LE(frame.width ?? width, 5);
  image.writeUInt16LE(frame.height ?? height, 7);
  return Buffer.concat([head, Buffer.alloc(6), control, comment, image]);
}

export function bmp(width: number, height: number, headerBytes = 40): Buffer {
  const bytes = Buffer.alloc(14 + headerBytes);
  bytes.write("BM");
  bytes.writeUInt32LE(headerBytes, 14);
  if (headerBytes === 12) {
    bytes.writeUInt16LE(width, 18);
    bytes.writeUInt16LE(height, 20);
  } else {
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
  }
  return bytes;
}

export function box(type: string, ...contents: readonly (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(contents.map((content) => Buffer.from(content as string, "latin1")));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length + 8);
  return Buffer.concat([head, Buffer.from(type), body]);
}

/** An AVIF of images of these sizes. */
export function avif(...sizes: readonly (readonly [width: number, height: number])[]): Buffer {
  const extents = sizes.map(([width, height]) => {
    const data = Buffer.alloc(12);
    data.writeUInt32BE(width, 4);
    data.writeUInt32BE(height, 8);
    return box("ispe", data);
  });
  const meta = box("meta", "\0\0\0\0", box("hdlr", "\0".repeat(24)), box("iprp", box("ipco", ...extents, box("pixi", "\0\0\0\0"))));
  return Buffer.concat([box("ftyp", "avif\0\0\0\0mif1miafavif"), meta, box("mdat", "pixels")]);
}
