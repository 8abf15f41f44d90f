/**
 * The same items, each asked for while the one before is worked on.
 *
 * Whoever ends the iteration ends that of the source; an item that is under way then is waited for, so that nothing goes on behind it.
 */
export async function* lookAhead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = iterator.next();
      // It may fail while nobody waits for it yet.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
