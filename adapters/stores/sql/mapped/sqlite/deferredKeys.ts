import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { Session } from "../../engine/session.js";
import type { RefusedWrite } from "../mappedEngine.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { hasRow, isMissing } from "./refusals.js";

/** A deferred foreign key that the commit would refuse. Its code is that of a key that SQLite checks at once. */
class BrokenKey extends Error {
  readonly code = "SQLITE_CONSTRAINT_FOREIGNKEY";

  constructor() {
    super("FOREIGN KEY constraint failed");
  }
}

/**
 * Checks the deferred foreign keys of written rows. SQLite does not report broken keys of a transaction before its commit, which then fails as a whole. The commit
 * also checks keys over columns without fields, which are not checked here.
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
      for (const key of referencedBy)
        if (await hasRow(session, table, row, { own: key.references, other: key.table, theirs: key.columns })) throw new BrokenKey();
    }
  }
}
