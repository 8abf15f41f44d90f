/** What PostgreSQL keeps of a name; it cuts longer ones silently. */
const limitBytes = 63;

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
