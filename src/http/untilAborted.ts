/**
 * Yields the same chunks until the signal aborts. Then the iteration throws the signal's reason at once and releases the source, without waiting for a chunk that may
 * never arrive.
 */
export async function* untilAborted<Chunk>(source: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  // One listener for all chunks: to add and remove one costs more than the rest of a chunk. It rejects what is waited for when the signal aborts.
  let fail: (reason: unknown) => void = () => {};
  const abort = () => fail(signal.reason);
  signal.addEventListener("abort", abort);
  const nextOf = () =>
    new Promise<IteratorResult<Chunk>>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      fail = reject;
      iterator.next().then(resolve, reject);
    });
  try {
    for (;;) {
      const next = await nextOf();
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
