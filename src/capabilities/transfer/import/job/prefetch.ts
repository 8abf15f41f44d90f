/**
 * Passes the items through, and requests each one while the one before is processed.
 *
 * If the consumer ends the iteration, the source ends too; an item that is being prepared is awaited first, so that nothing runs afterwards.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = iterator.next();
      // Prevents an unhandled rejection while `next` is not awaited yet.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await iterator.return?.();
  }
}
