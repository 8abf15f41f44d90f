const tags = new WeakMap<object, string>();

/** Notes the ETag of a row. */
export function noteTag(row: unknown, tag: string | null): void {
  if (typeof row === "object" && row !== null && tag !== null) tags.set(row, tag);
}

/**
 * The ETag of a row that came by `get`, `create`, `update`, `replace` or an action; `undefined` for rows of lists and for copies.
 *
 * @example
 * etagOf(await shop.orders.get(7)); // "\"01…\""
 */
export function etagOf(row: object): string | undefined {
  return tags.get(row);
}

/** The ETag that an option names. @throws {TypeError} for a row without one */
export function tagOf(option: string, value: string | object | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  const tag = etagOf(value);
  if (tag === undefined) throw new TypeError(`"${option}" has no ETag: get the row.`);
  return tag;
}
