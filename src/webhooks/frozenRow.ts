import type { Row } from "../storage/collection.js";

/** A copy of a row that nobody can change, nor the lists and objects in it: what was written stays as it was, whatever is done to the copy. */
export function frozenRow(row: Row): Row {
  return frozen(row) as Row;
}

function frozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozen(member)])));
}

/** Dates, bytes and the like are left as they are. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
