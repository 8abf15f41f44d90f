import { ProblemError } from "../../ground/problem/index.js";

/**
 * A copy that shares nothing with its original, as JSON writes it: a Date becomes text, a member without a value is left out.
 *
 * @param depth How deep arrays and objects may be nested.
 * @throws {ProblemError} PATCH_CONFLICT if they are nested deeper
 */
export function copyJson(value: unknown, depth: number): unknown {
  return copyAt(value, 0, depth);
}

function copyAt(original: unknown, level: number, depth: number): unknown {
  const value = written(original);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (level === depth) {
    throw new ProblemError("PATCH_CONFLICT", `The document is nested deeper than ${depth} levels; a JSON Patch cannot be applied to it.`);
  }
  if (Array.isArray(value)) return Array.from(value, (element: unknown) => copyAt(element, level + 1, depth) ?? null);
  const members = Object.entries(value).map(([name, member]) => [name, copyAt(member, level + 1, depth)] as const);
  // Not by assignment, so that `__proto__` becomes an ordinary member.
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function written(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value) || typeof value.toJSON !== "function") return value;
  const form: unknown = value.toJSON();
  return form;
}
