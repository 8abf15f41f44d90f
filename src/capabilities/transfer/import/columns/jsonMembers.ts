import { isObject } from "../../../../ground/http/isObject.js";
import { quote } from "../../../../ground/problem/quote.js";
import { isStorable } from "../../../../ground/storage/values/isStorable.js";
import { jsonFault } from "../../formats/jsonRow.js";
import type { RowFault, SourceRow } from "../../rows.js";

/** The members of a row, or why it cannot be read. */
export type JsonMembers = { readonly members: Readonly<Record<string, unknown>> } | { readonly fault: RowFault };

/**
 * The members of a row of JSON, by field name.
 *
 * @param map member name of the file → field name
 * @param isLeftOut whether to ignore a field name; absent if no name is ignored
 */
export function jsonMembers(
  { value, fault }: SourceRow,
  map: Readonly<Record<string, string>>,
  isLeftOut?: ((name: string) => boolean) | undefined,
): JsonMembers {
  if (fault !== undefined) return { fault };
  if (!isObject(value)) return { fault: { code: "ROW_NOT_OBJECT", detail: "The row is not a JSON object." } };
  // The depth and size of the row have been checked before.
  const refused = memberFault(value);
  if (refused !== undefined) return { fault: refused };
  const entries = Object.entries(value);
  if (isLeftOut === undefined && !entries.some(([given]) => Object.hasOwn(map, given))) return { members: value };
  const named = new Map<string, unknown>();
  for (const [given, member] of entries) {
    const name = Object.hasOwn(map, given) ? (map[given] ?? given) : given;
    // A member that `map` names is never ignored.
    if (isLeftOut?.(name) === true && name === given) continue;
    if (named.has(name)) return { fault: { code: "VALIDATION_FAILED", detail: `Two members of the row set ${quote(name)}.`, field: name } };
    named.set(name, member);
  }
  return { members: Object.fromEntries(named) };
}

/** The fault of a row with text that stores cannot keep unchanged, or with more values than allowed, at any depth. @param values `undefined`: any number */
export function memberFault(value: Readonly<Record<string, unknown>>, values?: number | undefined): RowFault | undefined {
  if (values === undefined && isPlainText(value)) return undefined;
  const unlimited = Number.POSITIVE_INFINITY;
  return jsonFault(value, { depth: unlimited, members: unlimited, values: values ?? unlimited }, true);
}

/** Fast path: whether the full check, which finds out where a fault is, is not needed. */
function isPlainText(value: unknown): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlainText);
  for (const name in value) if (!isStorable(name) || !isPlainText((value as Readonly<Record<string, unknown>>)[name])) return false;
  return true;
}
