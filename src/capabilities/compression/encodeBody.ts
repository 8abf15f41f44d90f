import type { ResponseBody } from "../../ground/http/message.js";
import { codedStream } from "./codedStream.js";
import type { Coder } from "./coders.js";

/** Up to this size compressing takes less than a millisecond, and the way to the thread pool and back is most of the time. */
const maxBytesOnLoop = 65_536;

/**
 * Compresses the body of an answer: at once up to 64 KiB, in the thread pool above, and as a stream if it is one.
 *
 * @example
 * const body = await encodeBody(JSON.stringify(rows), coderOf("br"));
 */
export function encodeBody(body: NonNullable<ResponseBody>, coder: Coder): NonNullable<ResponseBody> | Promise<Uint8Array> {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return codedStream(body, coder);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return bytes.length <= maxBytesOnLoop ? coder.compress(bytes) : coder.compressAside(bytes);
}
