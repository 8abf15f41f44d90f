import type { CollectionModel } from "./model.js";
import type { SortKey } from "./query.js";
import type { Id } from "./values/scalar.js";

/** The column and the member of rows with an id that is not a field: the text of a composite id, or the place of a row without a key. */
export const hiddenIdName = "_id";

/**
 * The text of a composite id: its parts in order, each percent-encoded, joined by commas.
 *
 * @throws {URIError} for half of a surrogate pair
 * @example
 * joinId([7, "a,b"]); // "7,a%2Cb"
 */
export function joinId(parts: readonly unknown[]): string {
  return parts.map((part) => encodeURIComponent(String(part))).join(",");
}

/**
 * The decoded parts of a composite id; `undefined` for any other spelling than the one of {@link joinId}, another number of parts, and parts that are empty, `.` or `..`.
 *
 * @param text still percent-encoded
 */
export function splitId(text: string, count: number): readonly string[] | undefined {
  if (!text.isWellFormed()) return undefined;
  try {
    const parts = text.split(",").map(decodeURIComponent);
    return parts.length === count && !parts.some(isUnusablePart) && joinId(parts) === text ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text cannot stand in a path as a segment, or as a part of one: clients and proxies resolve dots. */
export function isUnusablePart(text: unknown): boolean {
  return text === "" || text === "." || text === "..";
}

/** These members of a row. */
export function pickMembers(row: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** The id that these members of a row are, or name: the only one, or the text of several; `undefined` if one of them is null or missing. */
export function idIn(row: Readonly<Record<string, unknown>>, names: readonly string[]): Id | undefined {
  const parts = names.map((name) => row[name] ?? undefined);
  if (parts.includes(undefined)) return undefined;
  return parts.length > 1 ? joinId(parts) : (parts[0] as Id);
}

/** The order of the ids of a collection: by the parts of a composite one. */
export function idOrder({ id, idParts = [id] }: Pick<CollectionModel, "id" | "idParts">): readonly SortKey[] {
  return idParts.map((name) => ({ path: [name], dir: "asc" }));
}
