import { ProblemError } from "../problem/index.js";
import { stalled } from "./body.js";
import { ClientGone } from "./clientGone.js";
import type { HttpRequest } from "./message.js";
import { StallWatch } from "./stallWatch.js";
import type { Timers } from "./timers.js";

/** How much of a body passes, and how long is waited for it. */
export interface BodyStreamOptions {
  readonly limitBytes: number;
  /** Longest silence in milliseconds. */
  readonly stallMs: number;
  readonly timers: Timers;
  /** What is said of a body that is larger. */
  tooLarge(limitBytes: number): ProblemError;
}

/**
 * The body of a request as it comes, however the host hands it over: what a parser of the host has made of JSON is written as JSON again. Ending the
 * iteration lets go of the body, so that the host can drain it.
 *
 * @throws {ProblemError} that of `tooLarge`, and REQUEST_TIMEOUT
 * @throws {ClientGone} when the connection ends first
 */
export async function* bodyChunks({ body }: Pick<HttpRequest, "body">, options: BodyStreamOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { limitBytes, tooLarge } = options;
  if (body.kind === "none") return;
  if (body.kind === "stream") return yield* streamChunks(body.stream, options);
  const bytes = body.kind === "bytes" ? body.bytes : Buffer.from(JSON.stringify(body.value));
  if (bytes.length > limitBytes) throw tooLarge(limitBytes);
  if (bytes.length > 0) yield bytes;
}

async function* streamChunks(stream: AsyncIterable<Uint8Array>, options: BodyStreamOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let seen = 0;
  let isOver = false;
  try {
    for (;;) {
      const next = await nextWithin(iterator, options);
      if (next.done === true) {
        isOver = true;
        return;
      }
      seen += next.value.length;
      if (seen > options.limitBytes) throw options.tooLarge(options.limitBytes);
      yield next.value;
    }
  } finally {
    // A chunk that is waited for may never come: nobody waits for the end of that.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** A slow reader is no stall: the watch runs only while a chunk is waited for. */
function nextWithin(iterator: AsyncIterator<Uint8Array>, { stallMs, timers }: BodyStreamOptions): Promise<IteratorResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const watch = new StallWatch(timers, stallMs, () => {
      watch.end();
      reject(stalled(stallMs));
    });
    iterator.next().then(
      (next) => {
        watch.end();
        resolve(next);
      },
      (error: unknown) => {
        watch.end();
        reject(error instanceof ProblemError ? error : new ClientGone(error));
      },
    );
  });
}
