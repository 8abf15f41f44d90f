import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const codings: ReadonlyMap<string, Decode> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/**
 * A body without its content coding; `undefined` where the coding is not known here, the body is not in it, or is larger than the limit.
 *
 * @param coding The value of Content-Encoding, if there is one.
 * @see RFC 9110 §8.4
 */
export function withoutCoding(bytes: Uint8Array, coding: string | undefined, limitBytes: number): Uint8Array | undefined {
  const name = coding?.trim().toLowerCase() ?? "";
  if (bytes.length === 0 || name === "" || name === "identity") return bytes.length > limitBytes ? undefined : bytes;
  try {
    return codings.get(name)?.(bytes, { maxOutputLength: limitBytes });
  } catch {
    return undefined;
  }
}
