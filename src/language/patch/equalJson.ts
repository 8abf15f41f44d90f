import { isObject } from "../../ground/http/isObject.js";

/**
 * Whether two JSON values are the same; the order of members does not matter.
 *
 * @see RFC 6902 §4.6
 */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((element, index) => equalJson(element, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name) && equalJson(left[name], right[name]));
}
