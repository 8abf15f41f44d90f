/** An iterable that is made when it is iterated. `left` aborts when its consumer leaves: a generator by itself would end after its next value only. */
export function later<T>(make: (left: AbortSignal) => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  async function* values(left: AbortSignal) {
    yield* await make(left);
  }
  return {
    [Symbol.asyncIterator]() {
      const leaving = new AbortController();
      const iterator = values(leaving.signal);
      const { return: end } = iterator;
      return Object.assign(iterator, { return: () => end.call(iterator, leaving.abort()) });
    },
  };
}
