import { decodeContent } from "../../ground/http/body/decodeContent.js";

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
    return await decodeContent(bytes, name, limitBytes);
  } catch {
    return undefined;
  }
}
