import type { Transform } from "node:stream";
// A bundler makes named imports of the members of a namespace, and Node.js 20 has no zstd to import.
import zlib from "node:zlib";

/** A content coding for answers. */
export type Coding = "br" | "gzip" | "zstd";

/** The level of each coding: higher ones compress more, and take longer. */
export interface CompressionLevels {
  /** From 0 to 11 (4). */
  readonly br?: number | undefined;
  /** From 1 to 9 (6). */
  readonly gzip?: number | undefined;
  /** From 1 to 22 (3). */
  readonly zstd?: number | undefined;
}

/** A stream that compresses, and can send what it has so far. */
export interface Encoder extends Transform {
  flush(kind: number, done: () => void): void;
}

/** Compresses in one coding at one level. */
export interface Coder {
  readonly coding: Coding;
  /** Compresses on the event loop. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Compresses in the thread pool. */
  compressAside(bytes: Uint8Array): Promise<Uint8Array>;
  createEncoder(): Encoder;
  /** The kind of flush that sends everything, and keeps the dictionary. */
  readonly flushKind: number;
}

const { constants } = zlib;

/** Node.js has zstd since 22.15. */
const zstd = zlib as unknown as {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: object) => Uint8Array;
  readonly zstdCompress: Callback;
  readonly createZstdCompress: (options: object) => Encoder;
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_e_flush: number };
};

/** The codings of this Node.js, in the order of preference: at their default levels `br` makes the smallest answers. */
export const supportedCodings: readonly Coding[] = zstd.zstdCompressSync === undefined ? ["br", "gzip"] : ["br", "zstd", "gzip"];

/** @param level defaults to 4 for `br`, 6 for `gzip`, 3 for `zstd`; zlib throws a RangeError for a level that the coding does not have */
export function coderOf(coding: Coding, level?: number | undefined): Coder {
  if (coding === "gzip") return gzipCoder(level ?? 6);
  return coding === "br" ? brotliCoder(level ?? 4) : zstdCoder(level ?? 3);
}

type Callback = (bytes: Uint8Array, options: object, done: (error: Error | null, result: Uint8Array) => void) => void;

function aside(compress: Callback, bytes: Uint8Array, options: object): Promise<Uint8Array> {
  return new Promise((resolve, reject) => compress(bytes, options, (error, result) => (error ? reject(error) : resolve(result))));
}

function gzipCoder(level: number): Coder {
  return {
    coding: "gzip",
    compress: (bytes) => zlib.gzipSync(bytes, { level, windowBits: windowBitsOf(bytes.length) }),
    compressAside: (bytes) => aside(zlib.gzip, bytes, { level, chunkSize }),
    createEncoder: () => zlib.createGzip({ level }) as unknown as Encoder,
    flushKind: constants.Z_SYNC_FLUSH,
  };
}

/** Output buffers of large bodies. */
const chunkSize = 65_536;

/** A window that is larger than the body only costs the time to clear it. */
function windowBitsOf(length: number): number {
  return Math.max(9, Math.min(15, 33 - Math.clz32(length + minLookahead)));
}

/** zlib uses this part of its window to look ahead. */
const minLookahead = 262;

/** By default Brotli takes 8 MiB of a stream before it gives the first byte. */
const streamWindowBits = 18;

function brotliCoder(quality: number): Coder {
  const options = (length: number) => ({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
    },
  });
  return {
    coding: "br",
    compress: (bytes) => zlib.brotliCompressSync(bytes, options(bytes.length)),
    compressAside: (bytes) => aside(zlib.brotliCompress, bytes, { ...options(bytes.length), chunkSize }),
    createEncoder: () =>
      zlib.createBrotliCompress({ params: { ...options(0).params, [constants.BROTLI_PARAM_LGWIN]: streamWindowBits } }) as unknown as Encoder,
    flushKind: constants.BROTLI_OPERATION_FLUSH,
  };
}

function zstdCoder(level: number): Coder {
  const options = { params: { [zstd.constants.ZSTD_c_compressionLevel]: level } };
  return {
    coding: "zstd",
    compress: (bytes) => zstd.zstdCompressSync?.(bytes, options) ?? bytes,
    compressAside: (bytes) => aside(zstd.zstdCompress, bytes, { ...options, chunkSize }),
    createEncoder: () => zstd.createZstdCompress(options),
    flushKind: zstd.constants.ZSTD_e_flush,
  };
}
