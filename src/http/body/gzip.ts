import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

const compress = promisify(gzip) as (bytes: Uint8Array, options: { readonly level: number }) => Promise<Buffer>;
const expand = promisify(gunzip) as (bytes: Uint8Array, options: { readonly maxOutputLength?: number }) => Promise<Buffer>;

/** Compresses bytes to store, in the thread pool and at the fastest level, because a transaction may be open meanwhile. */
export function gzipFast(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, { level: 1 });
}

/** Decompresses the result of {@link gzipFast}. @throws {RangeError} for more than `maxBytes` */
export function gunzipAll(bytes: Uint8Array, maxBytes?: number): Promise<Buffer> {
  return expand(bytes, maxBytes === undefined ? {} : { maxOutputLength: maxBytes });
}
