import * as zlib from "node:zlib";
import type { Coding } from "restwright/compression";

const zstd = zlib as unknown as { readonly zstdDecompressSync: typeof zlib.gunzipSync; readonly zstdCompressSync: typeof zlib.gzipSync };

/** Decodes by what Node.js has, not by ours. */
export function decoded(bytes: Uint8Array, coding: Coding): Buffer {
  if (coding === "gzip") return zlib.gunzipSync(bytes);
  return coding === "br" ? zlib.brotliDecompressSync(bytes) : zstd.zstdDecompressSync(bytes);
}

/** Compresses as a client does. */
export function encoded(bytes: string | Uint8Array, coding: Coding): Buffer {
  if (coding === "gzip") return zlib.gzipSync(bytes);
  return coding === "br" ? zlib.brotliCompressSync(bytes) : zstd.zstdCompressSync(bytes);
}
