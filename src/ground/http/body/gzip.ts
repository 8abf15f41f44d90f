import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** Compresses bytes to store, in the thread pool and at the fastest level, because a transaction may be open meanwhile. */
export function gzipFast(bytes: Uint8Array): Promise<Buffer> {
  return promisify(gzip)(bytes, { level: 1 });
}

/** Decompresses the result of {@link gzipFast}. @throws {RangeError} for more than `maxBytes` */
export function gunzipAll(bytes: Uint8Array, maxBytes?: number): Promise<Buffer> {
  return promisify(gunzip)(bytes, maxBytes === undefined ? {} : { maxOutputLength: maxBytes });
}
