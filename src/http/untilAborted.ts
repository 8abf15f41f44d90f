/**
 * The same chunks until the signal is aborted: then the iteration throws the signal's reason at once, and lets go of the source without waiting for a chunk that may
 * never come.
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

/** A listener for each chunk, not one promise for all: what waits for that would pile up on it. */
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
