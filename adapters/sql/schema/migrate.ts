import { dialects } from "../engine/dialect.js";
import { isUniqueViolation } from "../engine/errors.js";
import { run, type Session, transact } from "../engine/session.js";
import { createOperationsTable, sweepOperations } from "../mapped/operations.js";
import { createIdempotencyTable } from "../records/idempotencyTable.js";
import { createJobTables } from "../records/jobTables.js";
import { createRateLimitTable } from "../records/rateLimitTable.js";
import { createOwnTable } from "../records/secret.js";
import { createSubscriberTables } from "../records/subscribers/subscriberTables.js";
import { createUploadTables } from "../records/uploadTables.js";
import { createWebhookTables } from "../records/webhooks/webhookTables.js";
import { quoteIdentifier } from "./identifier.js";
import { type AddedColumn, columnDefinitions, createTable, type IndexDefinition, indexDefinitions } from "./schema.js";
import { decodeColumns, type OwnTable } from "./table.js";

/** Id of the lock that lets one process migrate while the others wait. Any fixed number will do. */
const advisoryLock = 7_293_104_551;

/**
 * Creates missing tables and indexes, and adds missing columns. Never drops or alters anything.
 *
 * @param keepsOperations whether rows of other tables are created by operations, which are then recorded beside them
 * @throws {Error} if a table has a column of another type, or rows that violate a new unique key
 */
export async function migrate(session: Session, tables: readonly OwnTable[], keepsOperations = false): Promise<void> {
  await transact(session, async (inner) => {
    if (inner.executor.dialect === "postgres") await write(inner, `select pg_advisory_xact_lock(${advisoryLock})`);
    await write(inner, createOwnTable(dialects[inner.executor.dialect]));
    const indexes = await existingIndexes(inner);
    const { table: records, added, indexes: recordIndexes } = createIdempotencyTable(dialects[inner.executor.dialect]);
    const jobs = createJobTables(dialects[inner.executor.dialect]);
    const webhooks = createWebhookTables(dialects[inner.executor.dialect]);
    const subscribers = createSubscriberTables(dialects[inner.executor.dialect]);
    const uploads = createUploadTables(dialects[inner.executor.dialect]);
    const limits = createRateLimitTable(dialects[inner.executor.dialect]);
    for (const text of [records, ...jobs.tables, ...webhooks.tables, ...subscribers.tables, ...uploads.tables, limits.table])
      await write(inner, text);
    for (const column of [...added, ...jobs.added, ...webhooks.added]) await addColumn(inner, column);
    for (const { name, text } of [...recordIndexes, ...jobs.indexes, ...webhooks.indexes, ...subscribers.indexes, uploads.index, limits.index])
      if (!indexes.has(name)) await write(inner, text);
    if (keepsOperations) await createOperations(inner, indexes);
    for (const table of tables) await migrateTable(inner, table, indexes);
  });
}

async function createOperations(session: Session, indexes: ReadonlySet<string>): Promise<void> {
  const { table, index } = createOperationsTable(session.executor.dialect);
  await write(session, table);
  if (!indexes.has(index.name)) await write(session, index.text);
  await sweepOperations(session, Date.now());
}

/** Adds a column to a table that an older version of the library created. */
async function addColumn(session: Session, { table, name, type }: AddedColumn): Promise<void> {
  if ((await existingColumns(session, table)).has(name)) return;
  await write(session, `alter table ${quoteIdentifier(table)} add column ${quoteIdentifier(name)} ${type}`);
}

async function migrateTable(session: Session, table: OwnTable, indexes: ReadonlySet<string>): Promise<void> {
  const existing = await existingColumns(session, table.model.name);
  if (existing.size === 0) await write(session, createTable(table));
  else await addColumns(session, table, existing);
  for (const index of indexDefinitions(table)) if (!indexes.has(index.name)) await createIndex(session, table, index);
}

async function addColumns(session: Session, table: OwnTable, existing: ReadonlyMap<string, string>): Promise<void> {
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
        `The column "${name}" of the table "${table.model.name}" has the type ${type}, but the collection needs ${catalogType(wanted)}. ` +
          "Change the column in your own migration, or give the field another name.",
      );
    }
  }
  await backfillShadows(session, table, added);
}

function foreignTable(table: OwnTable, name: string): Error {
  return new Error(
    `The table "${table.model.name}" exists but has no column "${name}": this library did not create it. Rename the table or the collection.`,
  );
}

async function createIndex(session: Session, table: OwnTable, index: IndexDefinition): Promise<void> {
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

const pageRows = 500;

/** Fills shadow columns that were added to a table with existing rows. */
async function backfillShadows(session: Session, table: OwnTable, names: readonly string[]): Promise<void> {
  const shadows = table.shadows.filter(({ name }) => names.includes(name));
  if (shadows.length === 0) return;
  const sources = [...new Set(shadows.map(({ path }) => path[0]))].flatMap((name) => table.columns.get(name) ?? []);
  const { id, quoted, dialect, bigints } = table;
  const place = [dialect.placeholder(1), dialect.placeholder(2)] as const;
  const order = `"_tenant", ${id.quoted}`;
  const selected = [id, ...sources].map((column) => column.quoted).join(", ");
  const assignments = shadows.map(({ name }, index) => `${quoteIdentifier(name)} = ${dialect.placeholder(index + 1)}`).join(", ");
  const key = `"_tenant" = ${dialect.placeholder(shadows.length + 1)} and ${id.quoted} = ${dialect.placeholder(shadows.length + 2)}`;
  for (let after: readonly unknown[] = []; ; ) {
    const where = after.length === 0 ? "" : ` where (${order}) > (${place.join(", ")})`;
    const text = `select "_tenant", ${selected} from ${quoted}${where} order by ${order} limit ${pageRows}`;
    const { rows } = await run(session, { text, values: after, writes: true, returns: "many", bigints });
    for (const stored of rows) {
      const values = decodeColumns([id, ...sources], stored);
      after = [stored["_tenant"], id.encode(values[id.name])];
      const update = `update ${quoted} set ${assignments} where ${key}`;
      await run(session, { text: update, values: [...shadows.map(({ derive }) => derive(values)), ...after], writes: true, returns: "none" });
    }
    if (rows.length < pageRows) return;
  }
}

/** The columns of a table in the database, with their types in lower case; empty if the table does not exist. */
async function existingColumns(session: Session, table: string): Promise<ReadonlyMap<string, string>> {
  const text =
    session.executor.dialect === "sqlite"
      ? `select name, type from pragma_table_info(?)`
      : `select column_name as name, data_type as type from information_schema.columns where table_schema = current_schema() and table_name = $1`;
  const { rows } = await run(session, { text, values: [table], writes: true, returns: "many" });
  return new Map(rows.map(({ name, type }) => [String(name), String(type).toLowerCase()]));
}

/** The name of a type in the catalogue of the database. */
function catalogType(definition: string): string {
  const type = definition.toLowerCase();
  if (type.startsWith("timestamptz")) return "timestamp with time zone";
  return type.startsWith("double precision") ? "double precision" : (type.split(" ")[0] ?? type);
}

/**
 * Names of the existing indexes. `create index if not exists` locks the table even if the index exists, and can deadlock with writers; so it only runs
 * for indexes that are missing.
 */
async function existingIndexes(session: Session): Promise<ReadonlySet<string>> {
  const text =
    session.executor.dialect === "sqlite"
      ? `select name from sqlite_master where type = 'index'`
      : "select indexname as name from pg_indexes where schemaname = current_schema()";
  const { rows } = await run(session, { text, values: [], writes: true, returns: "many" });
  return new Set(rows.map(({ name }) => String(name)));
}
