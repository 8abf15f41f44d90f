import { setImmediate } from "node:timers";
import type { Coder, Encoder } from "./coders.js";

type Source = AsyncIterable<string | Uint8Array>;

/**
 * Compresses a stream. What has been read is flushed whenever the source has nothing more for a turn of the event loop, so that the rows of a slow source arrive at once and
 * a fast source loses nothing. A chunk is read when the one before is compressed and there is room for it.
 *
 * Ending the iteration releases the encoder and ends the source. An error of the source ends the stream with it.
 *
 * @example
 * const body = codedStream(rows, coderOf("gzip"));
 */
export function codedStream(source: Source, coder: Coder): AsyncIterableIterator<Uint8Array> {
  let running: { readonly encoder: Encoder; readonly chunks: AsyncIterator<Uint8Array> } | undefined;
  const below = source[Symbol.asyncIterator]();
  const start = () => {
    const encoder = coder.createEncoder();
    // An encoder that is destroyed after the last read has no other listener.
    encoder.on("error", () => undefined);
    feed(below, encoder, coder.flushKind).catch((error: Error) => encoder.destroy(error));
    return { encoder, chunks: (encoder as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]() };
  };
  const stream: AsyncIterableIterator<Uint8Array> = {
    next() {
      running ??= start();
      return running.chunks.next();
    },
    async return() {
      running?.encoder.destroy();
      await below.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

/** Rows that come one by one are compressed together: each way to the thread pool and back costs more than a row. */
const maxGatheredBytes = 32_768;

async function feed(source: AsyncIterator<string | Uint8Array>, encoder: Encoder, flushKind: number): Promise<void> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  let isFlushed = true;
  const write = async () => {
    if (bytes === 0) return;
    const chunk = gathered.length === 1 ? gathered[0] : Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
    isFlushed = false;
    await new Promise<void>((resolve, reject) => encoder.write(chunk, (error) => (error ? reject(error) : resolve())));
  };
  for (;;) {
    const next = source.next();
    if ((bytes > 0 || !isFlushed) && !(await settlesThisTurn(next))) {
      await write();
      // Not awaited: the flush ends when the consumer has read everything, and the source must not wait for that.
      encoder.flush(flushKind, () => undefined);
      isFlushed = true;
    }
    const { done, value } = await next;
    if (encoder.destroyed) return;
    if (done === true) break;
    const chunk = typeof value === "string" ? Buffer.from(value) : value;
    gathered.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxGatheredBytes) await write();
  }
  await write();
  encoder.end();
}

function settlesThisTurn(next: Promise<unknown>): Promise<boolean> {
  return Promise.race([next.then(() => true), new Promise<false>((resolve) => void setImmediate(resolve, false))]);
}
