import { ProblemError } from "../../problem/index.js";

/** Nesting beyond this would exhaust the stack. */
const maxDepth = 512;

/**
 * Canonical JSON text, independent of white space and the order of members.
 *
 * Values that JSON cannot express (an infinite number, −0, a bigint) have their own spelling, because body parsers of hosts can produce them.
 *
 * @throws {ProblemError} MALFORMED_JSON beyond 512 levels of nesting
 * @see RFC 8785, whose number format is that of `JSON.stringify`
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new ProblemError("MALFORMED_JSON", `Arrays and objects are nested deeper than ${maxDepth} levels.`);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (Array.isArray(value)) return `[${value.map((element) => canonicalJson(element, depth + 1)).join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalJson(value.toJSON(), depth + 1);
  return `{${sortedMembers(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`)
    .join(",")}}`;
}

/** The members of an object in the order of canonical JSON. */
export function sortedMembers(value: object): [name: string, member: unknown][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
}
