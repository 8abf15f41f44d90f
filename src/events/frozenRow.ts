/** A deep-frozen copy of a row, so that callbacks cannot change what was written. */
export function frozenRow<R extends object>(row: R): R {
  return frozen(row) as R;
}

function frozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozen(member)])));
}

/** Dates, bytes and other class instances are not copied. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
