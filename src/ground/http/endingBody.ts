import { Readable } from "node:stream";
import type { ResponseBody } from "./message.js";

type StreamBody = Exclude<ResponseBody, string | Uint8Array | null>;

/** Whether a body is a stream, which is produced after the answer is returned. */
export function isStream(body: ResponseBody | undefined): body is StreamBody {
  return body !== undefined && body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

/**
 * Wraps a body to call `ended` when it ends, fails or is abandoned.
 *
 * @param ended called once, with the error if the body failed
 */
export function endingBody(body: StreamBody, ended: (error?: unknown) => void): StreamBody {
  const source = body[Symbol.asyncIterator]();
  let isOver = false;
  const end = (error?: unknown) => {
    if (!isOver) ended(error);
    isOver = true;
  };
  const stream: AsyncIterableIterator<string | Uint8Array> = {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) end();
        return result;
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async return() {
      try {
        // Returning an iterator of a Node stream that was never read does not destroy the stream.
        if (body instanceof Readable) body.destroy();
        await source.return?.();
      } finally {
        end();
      }
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
