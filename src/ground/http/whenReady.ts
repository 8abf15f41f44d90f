/**
 * Passes a value on: immediately, or when its promise resolves. Most requests have the value already (a parsed id, rows without a scope, a body that has arrived), and an `await`
 * of it would cost a turn of the microtask queue, about 60 ns. In an async function, `value instanceof Promise ? await value : value` does the same.
 *
 * @example
 * whenReady(parseId(text), (id) => rows.get(id)); // a promise only if one of the two returns one
 */
export function whenReady<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
