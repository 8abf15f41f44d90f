import { createHash } from "node:crypto";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";

/** The most bytes of a name in PostgreSQL, which silently truncates longer names. */
const limitBytes = 63;

/** Name of the store's own table. The names of its other tables begin with it; names of collections must not. */
export const ownName = "_restwright";

/** Quotes the name of a table, column, index or alias. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes text of the schema, such as a key of a JSON path, where a bound value would prevent the use of an index. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Checks that no engine truncates, confuses or rejects a name.
 *
 * @throws {Error} naming the collection, the name and what is allowed
 */
export function checkIdentifiers(collection: string, table: string, names: readonly string[]): void {
  if (collection.toLowerCase().startsWith(ownName))
    throw new Error(`A collection cannot be called "${collection}": names that begin with "${ownName}" are reserved for the store's own tables.`);
  const seen = new Map<string, string>();
  for (const name of [collection, table, ...names]) {
    if (name === "" || name.includes("\0")) throw new Error(`${collection}: "${name}" is not a valid name of a table or column.`);
    if (Buffer.byteLength(name) > limitBytes) throw new Error(`${collection}: the name "${name}" is longer than ${limitBytes} bytes.`);
  }
  for (const name of names) {
    const folded = name.toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined)
      throw new Error(`${collection}: the columns "${other}" and "${name}" differ at most by case; SQLite treats them as one column.`);
    seen.set(folded, name);
  }
}

/** A path as part of a name. Dots in its keys are escaped, so that two paths never have the same name. */
export function placeName(path: Path): string {
  return path.map((name) => name.replaceAll(/[\\.]/g, "\\$&")).join(".");
}

/** A name within the length limit of the engines: a longer name is shortened and ends with its hash. */
export function fittingName(name: string): string {
  if (Buffer.byteLength(name) <= limitBytes) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${name.replaceAll(/\W/g, "_").slice(0, 24)}:${hash}`;
}
