import { ProblemError } from "../../problem/index.js";
import { ClientGone } from "../clientGone.js";
import type { HttpRequest } from "../message.js";
import type { Timers } from "../timers.js";
import { type BodyPace, BodyWatch } from "./bodyWatch.js";

/** The largest body to accept, and the slowest. */
export interface BodyStreamOptions extends BodyPace {
  readonly limitBytes: number;
  readonly timers: Timers;
  /** The problem for a larger body. */
  tooLarge(limitBytes: number): ProblemError;
}

/**
 * The body of a request as a stream, whatever form the host passes: a value that the host has parsed from JSON is serialised again. Ending the
 * iteration releases the body, so that the host can drain it.
 *
 * @throws {ProblemError} the one of `tooLarge`, and REQUEST_TIMEOUT
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
  const watch = new BodyWatch(options.timers, options);
  let seen = 0;
  let isOver = false;
  try {
    for (;;) {
      const next = await nextWithin(iterator, watch);
      if (next.done === true) {
        isOver = true;
        return;
      }
      seen += next.value.length;
      if (seen > options.limitBytes) throw options.tooLarge(options.limitBytes);
      yield next.value;
    }
  } finally {
    watch.end();
    // A pending chunk may never arrive, so the end of the iteration is not awaited.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** The watch runs only while a chunk is awaited, so that a slow reader does not count as a slow client. */
function nextWithin(iterator: AsyncIterator<Uint8Array>, watch: BodyWatch): Promise<IteratorResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    watch.wait(reject);
    iterator.next().then(
      (next) => {
        watch.arrived(next.done === true ? 0 : next.value.length);
        resolve(next);
      },
      (error: unknown) => reject(error instanceof ProblemError ? error : new ClientGone(error)),
    );
  });
}
