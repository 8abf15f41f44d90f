import { promisify } from "node:util";
// A bundler makes named imports of the members of a namespace, and Node.js 20 has no zstd to import.
import zlib from "node:zlib";
import { endsWithZstdFrame } from "./zstdFrames.js";

interface Options {
  readonly maxOutputLength: number;
  readonly info: true;
}

interface Decoded {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

type Decode = (bytes: Uint8Array, options: Options) => Promise<Decoded>;

/** The functions of zlib. Node.js has zstd since 22.15. */
const names: ReadonlyMap<string, string> = new Map([
  ["gzip", "gunzip"],
  ["x-gzip", "gunzip"],
  ["deflate", "inflate"],
  ["br", "brotliDecompress"],
  ["zstd", "zstdDecompress"],
]);

/**
 * Decodes one content coding in the thread pool; `undefined` if Node.js does not have the coding.
 *
 * Rejects with the error of zlib if the bytes are invalid or incomplete, if other bytes follow, and with the code ERR_BUFFER_TOO_LARGE as soon as more than `maxBytes`
 * have come out.
 *
 * @param coding in lower case: `gzip`, `br`
 * @see RFC 9110 §8.4.1
 */
export function decodeContent(bytes: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> | undefined {
  const decode = (zlib as unknown as Readonly<Record<string, typeof zlib.gunzip | undefined>>)[names.get(coding) ?? ""];
  if (decode === undefined) return undefined;
  return (promisify(decode) as unknown as Decode)(bytes, { maxOutputLength: maxBytes, info: true }).then(({ buffer, engine }) => {
    if (engine.bytesWritten !== bytes.length) throw new Error("other bytes follow the end of the compressed data");
    // Checked on each Node.js: before 24.20 it returns what an incomplete frame has so far.
    if (coding === "zstd" && !endsWithZstdFrame(bytes)) throw new Error("unexpected end of file");
    return buffer;
  });
}
