import { ProblemError } from "../problem/index.js";

/** How fast a body must come. */
export interface MinimumRate {
  /** On average over all the time that was waited for it. */
  readonly bytesPerSecond: number;
  /** How long is waited together before this is asked for, in milliseconds. */
  readonly afterMs: number;
  /** Milliseconds since some instant. */
  now(): number;
}

/**
 * The same chunks, as long as they do not drip: a client that sends a byte now and then is never silent for long, and would hold its connection for days. What the
 * reader takes for itself between two chunks does not count.
 *
 * @throws {ProblemError} REQUEST_TIMEOUT
 */
export async function* atMinimumRate(chunks: AsyncIterable<Uint8Array>, rate: MinimumRate): AsyncGenerator<Uint8Array, void, undefined> {
  let [bytes, waitedMs] = [0, 0];
  let since = rate.now();
  for await (const chunk of chunks) {
    bytes += chunk.length;
    waitedMs += rate.now() - since;
    if (waitedMs > rate.afterMs && bytes * 1_000 < rate.bytesPerSecond * waitedMs) throw tooSlow(rate.bytesPerSecond);
    yield chunk;
    since = rate.now();
  }
}

function tooSlow(bytesPerSecond: number): ProblemError {
  return new ProblemError("REQUEST_TIMEOUT", `The body comes slower than ${bytesPerSecond} bytes a second.`, { headers: { connection: "close" } });
}
