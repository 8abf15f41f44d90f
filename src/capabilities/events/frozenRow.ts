import { isPlainObject } from "../../ground/http/isObject.js";

/** A deep-frozen copy of a row, so that callbacks cannot change what was written. */
export function frozenRow<R extends object>(row: R): R {
  return frozen(row) as R;
}

function frozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  // Dates, bytes and other class instances are not copied.
  if (!isPlainObject(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozen(member)])));
}
