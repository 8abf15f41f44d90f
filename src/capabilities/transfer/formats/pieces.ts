import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";

/** Bytes that are parsed at once. A parser reports all rows of a piece at once; so many bytes have a few thousand rows at most. */
const parsedBytes = 8_192;

/** Splits the bytes of a file into pieces of at most `pieceBytes`, and yields to the event loop between two pieces if their use takes long. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>, pieceBytes = parsedBytes): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      if (turnIsOver()) await yieldToEventLoop();
      yield chunk.subarray(at, at + pieceBytes);
    }
  }
}
