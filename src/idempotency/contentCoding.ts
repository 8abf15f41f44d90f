import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const codings: ReadonlyMap<string, Decode> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/**
 * Decodes the content coding of a body; `undefined` if the coding is unknown, the body is invalid in it, or is larger than the limit.
 *
 * @param coding The value of Content-Encoding, if there is one.
 * @see RFC 9110 §8.4
 */
export async function withoutCoding(bytes: Uint8Array, coding: string | undefined, limitBytes: number): Promise<Uint8Array | undefined> {
  const name = coding?.trim().toLowerCase() ?? "";
  if (bytes.length === 0 || name === "" || name === "identity") return bytes.length > limitBytes ? undefined : bytes;
  try {
    return await codings.get(name)?.(bytes, { maxOutputLength: limitBytes });
  } catch {
    return undefined;
  }
}
