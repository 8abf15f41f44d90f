import { createHash } from "node:crypto";
import type { Path } from "../../src/storage/scalar.js";

/** What PostgreSQL keeps of a name; it cuts longer ones silently. */
const limitBytes = 63;

/** The table that a SQL store keeps for itself; the names of its other ones begin with it, and those of collections do not. */
export const ownName = "_restwright";

/** Quotes a table or column name. Names come from the schema; a quote in one is doubled, so that it stays a name. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes text that belongs to the schema (a key of a JSON path) where a bound value would keep an index from being used. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Refuses names that an engine would cut, fold together or not take.
 *
 * @throws {Error} naming the collection, the name and what is allowed
 */
export function checkIdentifiers(collection: string, names: readonly string[]): void {
  if (collection.toLowerCase().startsWith(ownName))
    throw new Error(`A collection cannot be called "${collection}": names that begin with "${ownName}" are those of the store's own tables.`);
  const seen = new Map<string, string>();
  for (const name of [collection, ...names]) {
    if (name === "" || name.includes("\0")) throw new Error(`${collection}: "${name}" cannot name a table or a column.`);
    if (Buffer.byteLength(name) > limitBytes) throw new Error(`${collection}: the name "${name}" is longer than ${limitBytes} bytes.`);
  }
  for (const name of names) {
    const folded = name.toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined)
      throw new Error(`${collection}: the columns "${other}" and "${name}" differ at most by case; SQLite takes them for one.`);
    seen.set(folded, name);
  }
}

/** A place as a part of names. A dot within a name is escaped, so that no two places are called the same. */
export function placeName(path: Path): string {
  return path.map((name) => name.replaceAll(/[\\.]/g, "\\$&")).join(".");
}

/** A name that engines keep whole: a long one is cut and ends with its hash. */
export function fittingName(name: string): string {
  if (Buffer.byteLength(name) <= limitBytes) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${name.replaceAll(/\W/g, "_").slice(0, 24)}:${hash}`;
}
