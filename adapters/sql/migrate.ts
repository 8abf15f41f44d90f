import { backfillShadows } from "./backfill.js";
import { catalogType, existingColumns, existingIndexes } from "./catalog.js";
import { dialects } from "./dialects.js";
import { isUniqueViolation } from "./errors.js";
import { createIdempotencyTable } from "./idempotencyTable.js";
import { quoteIdentifier } from "./identifier.js";
import { createJobTables } from "./jobTables.js";
import { columnDefinitions, createTable, type IndexDefinition, indexDefinitions } from "./schema.js";
import { createOwnTable } from "./secret.js";
import { run, type Session, transact } from "./session.js";
import type { Table } from "./table.js";
import { createUploadTables } from "./uploadTables.js";
import { createWebhookTables } from "./webhookTables.js";

/** Any number that all processes agree on: one migrates while the others wait. */
const advisoryLock = 7_293_104_551;

/**
 * Creates tables and indexes, and adds columns that an older table lacks. Nothing is ever dropped or altered.
 *
 * @throws {Error} when a table has a column of another type, or rows that break a new unique key
 */
export async function migrate(session: Session, tables: readonly Table[]): Promise<void> {
  await transact(session, async (inner) => {
    if (inner.executor.dialect === "postgres") await write(inner, `select pg_advisory_xact_lock(${advisoryLock})`);
    await write(inner, createOwnTable(dialects[inner.executor.dialect]));
    const indexes = await existingIndexes(inner);
    const { table: records, index } = createIdempotencyTable(dialects[inner.executor.dialect]);
    const jobs = createJobTables(dialects[inner.executor.dialect]);
    const webhooks = createWebhookTables(dialects[inner.executor.dialect]);
    const uploads = createUploadTables(dialects[inner.executor.dialect]);
    for (const text of [records, ...jobs.tables, ...webhooks.tables, ...uploads.tables]) await write(inner, text);
    for (const { name, text } of [index, ...jobs.indexes, ...webhooks.indexes, uploads.index]) if (!indexes.has(name)) await write(inner, text);
    for (const table of tables) await migrateTable(inner, table, indexes);
  });
}

async function migrateTable(session: Session, table: Table, indexes: ReadonlySet<string>): Promise<void> {
  const existing = await existingColumns(session, table);
  if (existing.size === 0) await write(session, createTable(table));
  else await addColumns(session, table, existing);
  for (const index of indexDefinitions(table)) if (!indexes.has(index.name)) await createIndex(session, table, index);
}

async function addColumns(session: Session, table: Table, existing: ReadonlyMap<string, string>): Promise<void> {
  const added: string[] = [];
  for (const { name, kind, definition } of columnDefinitions(table)) {
    const type = existing.get(name);
    const wanted = table.dialect.columnType(kind);
    if (type === undefined) {
      if (name === table.id.name || definition.includes("not null")) throw foreignTable(table, name);
      await write(session, `alter table ${table.quoted} add column ${quoteIdentifier(name)} ${wanted}`);
      added.push(name);
    } else if (type !== catalogType(wanted)) {
      throw new Error(
        `The column "${name}" of the table "${table.model.name}" has the type ${type}; the collection needs ${catalogType(wanted)}. ` +
          "Change the column by a migration of your own, or give the field another name.",
      );
    }
  }
  await backfillShadows(session, table, added);
}

function foreignTable(table: Table, name: string): Error {
  return new Error(
    `The table "${table.model.name}" exists but lacks the column "${name}": it was not made by this library. Rename the table or the collection.`,
  );
}

async function createIndex(session: Session, table: Table, index: IndexDefinition): Promise<void> {
  try {
    await write(session, index.text);
  } catch (error) {
    if (index.unique === undefined || !isUniqueViolation(error)) throw error;
    const fields = index.unique.join(", ");
    throw new Error(
      `The table "${table.model.name}" has rows with the same ${fields}, which the collection declares unique. Remove the duplicates first.`,
      {
        cause: error,
      },
    );
  }
}

async function write(session: Session, text: string): Promise<void> {
  await run(session, { text, values: [], writes: true, returns: "none" });
}
