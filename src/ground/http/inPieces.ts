import { Readable } from "node:stream";
import { isStream } from "./endingBody.js";
import type { ResponseBody } from "./message.js";

/** Small enough that a slow reader takes one within the limit of unread answers, and as large as a frame of HTTP/2. */
export const pieceBytes = 16 * 1_024;

const none = new Uint8Array();

/** A body as pieces of at most 16 KiB, which the host takes one by one, so that it shows how far the client has read. */
export function inPieces(body: NonNullable<ResponseBody>): AsyncIterableIterator<Uint8Array> {
  const source = isStream(body) ? body[Symbol.asyncIterator]() : undefined;
  let rest = isStream(body) ? none : bytesOf(body);
  const pieces: AsyncIterableIterator<Uint8Array> = {
    async next() {
      while (rest.length === 0) {
        const step = await source?.next();
        if (step === undefined || step.done === true) return { done: true, value: undefined };
        rest = bytesOf(step.value);
      }
      const value = rest.subarray(0, pieceBytes);
      rest = rest.subarray(pieceBytes);
      return { done: false, value };
    },
    async return() {
      rest = none;
      // Returning an iterator of a Node stream that was never read does not destroy the stream.
      if (body instanceof Readable) body.destroy();
      await source?.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => pieces,
  };
  return pieces;
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
