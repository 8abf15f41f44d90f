import { isObject, type Members } from "./members.js";

/**
 * The merge patch that turns a row into its new values. Members with the same value are left out, so that read-only fields of a form are not sent. A member that `values` does
 * not have stays as it is.
 */
export function changesOf(row: Members, values: Members): Members {
  const changed = Object.entries(values).filter(([name, value]) => value !== undefined && !isSame(row[name], value));
  return Object.fromEntries(changed.map(([name, value]) => [name, changeOf(row[name], value)]));
}

/** A merge patch merges objects: what the new value does not have is removed by null. */
function changeOf(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  return { ...changesOf(before, after), ...Object.fromEntries(removed.map((name) => [name, null])) };
}

/** Whether two values are the same in JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
