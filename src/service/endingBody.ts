import { Readable } from "node:stream";
import type { ResponseBody } from "../http/message.js";

type StreamBody = Exclude<ResponseBody, string | Uint8Array | null>;

/** Whether a body is still to be made when the answer is given. */
export function isStream(body: ResponseBody | undefined): body is StreamBody {
  return body !== undefined && body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

/**
 * The same body, which tells when it has ended, read or not.
 *
 * @param ended called once
 */
export function endingBody(body: StreamBody, ended: () => void): StreamBody {
  const source = body[Symbol.asyncIterator]();
  let isOver = false;
  const end = () => {
    if (!isOver) ended();
    isOver = true;
  };
  const stream: AsyncIterableIterator<string | Uint8Array> = {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      try {
        // An iteration of a stream of Node that nobody has begun does not end the stream.
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
