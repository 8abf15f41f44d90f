import { isObject } from "../../ground/http/isObject.js";

/**
 * The result of a JSON merge patch; neither argument is changed. The result may share unchanged parts with them.
 *
 * @see RFC 7396 §2
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A map, so that names such as `__proto__` and `toString` are ordinary members.
  const members = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), change));
  }
  return Object.fromEntries(members);
}

/**
 * Paths of the members that a merge patch sets to null, whether the target has them or not.
 *
 * A member that the target lacks counts too: a client that sends null for a nullable member means null.
 */
export function removedPaths(patch: unknown): readonly (readonly string[])[] {
  if (!isObject(patch)) return [];
  return Object.entries(patch).flatMap(([name, change]) => (change === null ? [[name]] : removedPaths(change).map((path) => [name, ...path])));
}
