import type { ResponseHeaders } from "../message.js";

/**
 * Adds the names of request headers that `Vary` lacks.
 *
 * @see RFC 9110 §12.5.5
 * @example
 * const headers = { vary: "Accept" };
 * addVary(headers, ["Accept", "Origin"]); // { vary: "Accept, Origin" }
 */
export function addVary(headers: ResponseHeaders, names: readonly string[]): void {
  const before = String(headers["vary"] ?? "");
  const known = before.toLowerCase().split(/\s*,\s*/);
  const missing = known.includes("*") ? [] : names.filter((name) => !known.includes(name.toLowerCase()));
  headers["vary"] = [before || [], missing].flat().join(", ");
}
