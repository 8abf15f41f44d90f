import type { Row } from "../../../../src/storage/collection.js";
import { Bindings } from "../../engine/bindings.js";
import { run, type Session } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { readPath } from "../../schema/values.js";
import type { CatalogReference } from "../catalog.js";
import type { RefusedWrite } from "../mappedEngine.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { isMissing } from "./refusals.js";

/** A deferred foreign key that the commit would refuse. Its code is that of a key that SQLite checks at once. */
class BrokenKey extends Error {
  readonly code = "SQLITE_CONSTRAINT_FOREIGNKEY";

  constructor() {
    super("FOREIGN KEY constraint failed");
  }
}

/**
 * Checks the deferred foreign keys of written rows. SQLite counts broken keys of a transaction but tells the number to nobody before the commit, which then fails
 * as a whole.
 *
 * @throws {BrokenKey}
 */
export async function checkDeferredKeys(session: Session, table: MappedSqlTable, rows: readonly Row[], kind: RefusedWrite["kind"]): Promise<void> {
  const { foreignKeys, referencedBy = [], isDeferred } = table.catalog;
  if (!isDeferred || session.defersConstraints) return;
  for (const row of rows) {
    if (kind !== "remove") {
      for (const key of foreignKeys) if (key.isDeferred && (await isMissing(session, table, key, row))) throw new BrokenKey();
    } else if (table.deletion === undefined) {
      for (const key of referencedBy) if (await isNamed(session, table, key, row)) throw new BrokenKey();
    }
  }
}

/** Whether a row of another table names this one. */
async function isNamed(session: Session, table: MappedSqlTable, { table: other, columns, references }: CatalogReference, row: Row): Promise<boolean> {
  const bindings = new Bindings(table.dialect);
  const conditions: string[] = [];
  for (const [index, name] of columns.entries()) {
    const target = table.mapped.find(({ leaf }) => leaf.column.toLowerCase() === references[index]?.toLowerCase());
    const value = target && readPath(row, target.leaf.path);
    // The commit refuses a key over columns without fields.
    if (target === undefined || value === undefined || value === null) return false;
    conditions.push(`${quoteIdentifier(name)} = ${target.type.write(bindings.bind(target.encode(value)))}`);
  }
  const text = `select 1 as "found" from ${other} where ${conditions.join(" and ")} limit 1`;
  return (await run(session, { text, values: bindings.values, writes: true, returns: "one" })).rows.length > 0;
}
