/**
 * Yields the same chunks until the signal aborts. Then the iteration throws the signal's reason at once and releases the source, without waiting for a chunk that may
 * never arrive.
 */
export async function* untilAborted<Chunk>(source: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await nextOf(iterator, signal);
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } finally {
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** Adds a listener for each chunk. On one promise for all chunks, the waiting callbacks would accumulate. */
function nextOf<Chunk>(iterator: AsyncIterator<Chunk>, signal: AbortSignal): Promise<IteratorResult<Chunk>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    iterator.next().then(
      (next) => {
        signal.removeEventListener("abort", abort);
        resolve(next);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", abort);
        reject(error);
      },
    );
  });
}
