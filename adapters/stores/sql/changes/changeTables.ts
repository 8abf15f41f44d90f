import { captureOf } from "../engine/changesDialect.js";
import type { Dialect } from "../engine/dialect.js";
import { run, type Session } from "../engine/session.js";
import { quoteIdentifier } from "../schema/identifier.js";
import { ownIndex } from "../schema/ownIndex.js";
import { columnDefinitions, type IndexDefinition } from "../schema/schema.js";
import type { OwnTable } from "../schema/table.js";

/** Statements that create the log, its index, and the table of the last changes that were dropped. */
export function createChangeTables({ changes, columnType, place }: Dialect): {
  readonly tables: readonly string[];
  readonly indexes: readonly IndexDefinition[];
} {
  const { order, key, imageType } = changes;
  const [text, integer] = [columnType("text"), columnType("int")];
  const columns = [
    ...order.map(({ name, definition }) => `${quoteIdentifier(name)} ${definition}`),
    ...["collection", "tenant", "id", "kind"].map((name) => `"${name}" ${text} not null`),
    `"created" ${integer} not null`,
    // The row before the write, with the columns of its table.
    `"before" ${imageType}`,
    ...(key === undefined ? [] : [key]),
  ];
  const dropped = [`"collection" ${text} not null primary key`, ...order.map(({ name, type }) => `${quoteIdentifier(name)} ${type} not null`)];
  return {
    tables: [
      `create table if not exists ${place.own.changes} (${columns.join(", ")})`,
      `create table if not exists ${place.own.droppedChanges} (${dropped.join(", ")})`,
    ],
    indexes: key === undefined ? [ownIndex(place, "changes", "order", `("collection", ${orderNames(order)})`)] : [],
  };
}

/** The columns that order changes. */
export function orderNames(order: Dialect["changes"]["order"]): string {
  return order.map(({ name }) => quoteIdentifier(name)).join(", ");
}

/** The captures that there are, by the names of their tables. */
export async function existingCaptures(session: Session): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { changes, place } = session.dialect;
  const { rows } = await run(session, { ...changes.triggers(place.schema), writes: true, returns: "many" });
  const found = new Map<string, Set<string>>();
  for (const { name, table } of rows) {
    const capture = captureOf(String(name));
    if (capture !== undefined) found.set(String(table), (found.get(String(table)) ?? new Set()).add(capture));
  }
  return found;
}

/**
 * The statements that a table whose changes are kept needs.
 *
 * @param existing the columns that it has; `undefined` for a table that will be created
 * @param captures that it has
 */
export function planCapture(table: OwnTable, existing: ReadonlyMap<string, string> | undefined, captures: ReadonlySet<string>): readonly string[] {
  const { changes } = table.dialect;
  const all = new Map([...columnDefinitions(table).map(({ name, type }) => [name, type.toLowerCase()] as const), ...(existing ?? [])]);
  const columns = new Map([...all].sort(([left], [right]) => (left < right ? -1 : 1)));
  const { name, statements } = changes.capture(table, columns);
  const others = [...captures].filter((other) => other !== name);
  return [...others.flatMap((other) => changes.drop(table, other)), ...(captures.has(name) ? [] : statements)];
}
