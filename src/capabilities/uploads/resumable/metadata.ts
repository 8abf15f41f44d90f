import { fromBase64 } from "./base64.js";
import { malformed } from "./headers.js";

/** Keys and values of `Upload-Metadata`. */
export type UploadMetadata = ReadonlyMap<string, string>;

const metadataBytes = 8_192;
const metadataKeys = 32;

/**
 * Parses `Upload-Metadata`; spaces around commas and keys without a value are allowed.
 *
 * @throws {ProblemError} MALFORMED_HEADER
 */
export function parseMetadata(text: string | undefined): UploadMetadata {
  const metadata = new Map<string, string>();
  if (text === undefined || text.trim() === "") return metadata;
  const name = "upload-metadata";
  if (text.length > metadataBytes) throw malformed(name, `is longer than ${metadataBytes} bytes`);
  const pairs = text.split(",").map((pair) => pair.trim());
  if (pairs.length > metadataKeys) throw malformed(name, `has more than ${metadataKeys} keys`);
  for (const pair of pairs) {
    const [key = "", value = "", ...more] = pair.split(" ");
    if (!/^[\x21-\x2b\x2d-\x7e]+$/.test(key) || more.length > 0)
      throw malformed(name, `has the pair "${pair.slice(0, 64)}", which is not a key, a space and a value`);
    if (metadata.has(key)) throw malformed(name, `has the key "${key.slice(0, 64)}" twice`);
    const bytes = fromBase64(value);
    if (bytes === undefined) throw malformed(name, `has a value that is not base64 under "${key.slice(0, 64)}"`);
    metadata.set(key, bytes.toString("utf8"));
  }
  return metadata;
}
