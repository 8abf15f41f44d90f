import { createHash } from "node:crypto";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { MigrateOptions } from "../../../../src/ground/storage/storage.js";
import { createChangeTables, existingCaptures, planCapture } from "../changes/changeTables.js";
import { isUniqueViolation } from "../engine/errors.js";
import type { MigrateMode } from "../engine/executor.js";
import { run, type Session, transact } from "../engine/session.js";
import { createOperationsTable, sweepOperations } from "../mapped/write/operations.js";
import { createIdempotencyTable } from "../records/idempotencyTable.js";
import { createJobTables } from "../records/jobTables.js";
import { createRateLimitTable } from "../records/rateLimitTable.js";
import { createOwnTable } from "../records/secret.js";
import { createSubscriberTables } from "../records/subscribers/subscriberTables.js";
import { createUploadTables } from "../records/uploadTables.js";
import { createWebhookTables } from "../records/webhooks/webhookTables.js";
import { decodeColumns } from "./decodeColumns.js";
import { existingColumns, existingIndexes, isSchemaMissing } from "./existing.js";
import { quoteIdentifier } from "./identifier.js";
import { checkNeighbours } from "./neighbours.js";
import type { Place } from "./place.js";
import { type AddedColumn, columnDefinitions, createTable, type IndexDefinition, indexDefinitions } from "./schema.js";
import type { OwnTable } from "./table.js";

/** Id of the lock that lets one process migrate while the others wait. Any fixed number will do; storages at other places add a hash of theirs. */
const advisoryLock = 7_293_104_551n;

/** What a database needs beside the tables of its collections. */
export interface Wanted {
  readonly tables: readonly OwnTable[];
  /** Whether rows of other tables are created by operations, which are then recorded beside them. */
  readonly keepsOperations: boolean;
}

const recordsOnly: Wanted = { tables: [], keepsOperations: false };

/**
 * Creates missing tables and indexes, and adds missing columns. Never drops or alters anything.
 *
 * @throws {Error} if a table has a column of another type, or rows that violate a new unique key; with `check`, if anything is missing
 */
export async function migrate(
  session: Session,
  wanted: Wanted = recordsOnly,
  mode: MigrateMode = "create",
  warn: MigrateOptions["warn"] = () => {},
): Promise<void> {
  const work = async (inner: Session) => {
    const lock = mode === "create" ? inner.dialect.locks.migration?.(lockOf(inner.dialect.place)) : undefined;
    if (lock !== undefined) await write(inner, lock);
    await checkNeighbours(inner, wanted.tables);
    const { steps, conflicts } = await planMigration(inner, wanted);
    if (conflicts.length > 0) throw new Error(conflicts.join("\n"));
    if (mode === "check" && steps.length > 0) throw missingError(steps);
    for (const step of steps) {
      if (step.lacking !== undefined) await warnOfLack(inner, step.lacking, warn);
      await step.run(inner).catch((error: unknown) => {
        throw mayNotCreate(error) ?? error;
      });
    }
  };
  await transact(session, work, { waitsForLocks: true });
  if (!wanted.keepsOperations) return;
  // A replica, or a database whose disk is full, still serves reads.
  await transact(session, (inner) => sweepOperations(inner, Date.now())).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
  });
}

/** A role may lack the right to create tables, which since version 15 of PostgreSQL only the owner of a database has in the schema "public". */
function mayNotCreate(error: unknown): Error | undefined {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code !== "42501" && code !== "3F000") return undefined;
  const remedy = 'run the statements of "npx restwright sql" as its owner, and say migrate: "check"';
  return new Error(
    `The tables of this library cannot be created: ${String(message)}. Grant the role "create" on the schema, name another one by "schema", or ${remedy}.`,
    { cause: error },
  );
}

function lockOf({ schema, prefix }: Place): bigint {
  if (schema === undefined && prefix === "") return advisoryLock;
  return (
    advisoryLock +
    BigInt(
      createHash("sha256")
        .update(JSON.stringify([schema, prefix]))
        .digest()
        .readUInt32BE(),
    )
  );
}

/** A statement of a migration. */
export interface MigrationStep {
  readonly text: string;
  /** The column of a required field that it adds: rows that exist have no value of it. */
  readonly lacking?: { readonly table: OwnTable; readonly field: string } | undefined;
  run(session: Session): Promise<void>;
}

export interface MigrationPlan {
  /** What the database lacks, in the order in which it can be created. */
  readonly steps: readonly MigrationStep[];
  /** What prevents the migration, such as a column of another type. */
  readonly conflicts: readonly string[];
  /** The columns that there are, by their tables. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The tables of the indexes that there are, by the names of the indexes. */
  readonly indexes: ReadonlyMap<string, string>;
}

/** Compares the database with what it should have. */
export async function planMigration(session: Session, { tables, keepsOperations }: Wanted): Promise<MigrationPlan> {
  const { dialect } = session;
  const idempotency = createIdempotencyTable(dialect);
  const jobs = createJobTables(dialect);
  const webhooks = createWebhookTables(dialect);
  const subscribers = createSubscriberTables(dialect);
  const uploads = createUploadTables(dialect);
  const limits = createRateLimitTable(dialect);
  const operations = keepsOperations ? [createOperationsTable(dialect)] : [];
  const kept = tables.filter(({ model }) => model.keepsChanges);
  const changes = kept.length === 0 ? undefined : createChangeTables(dialect);
  const created = [
    ...[createOwnTable(dialect), idempotency.table, ...jobs.tables, ...webhooks.tables, ...subscribers.tables, ...uploads.tables, limits.table],
    ...operations.map(({ table }) => table),
    ...(changes?.tables ?? []),
  ];
  const added = [...idempotency.added, ...jobs.added, ...webhooks.added, ...subscribers.added];
  const indexes = [
    ...[...idempotency.indexes, ...jobs.indexes, ...webhooks.indexes, ...subscribers.indexes, uploads.index, limits.index],
    ...operations.map(({ index }) => index),
    ...(changes?.indexes ?? []),
  ];
  const names = [...created.map(createdName), ...tables.map(({ name }) => name)];
  const columns = await existingColumns(session, names);
  const known = await existingIndexes(session);
  const captures = kept.length === 0 ? undefined : await existingCaptures(session);
  const conflicts: string[] = [];
  const steps = [
    ...((await isSchemaMissing(session)) ? [step(`create schema ${quoteIdentifier(dialect.place.schema ?? "")}`)] : []),
    ...created.filter((text) => !columns.has(createdName(text))).map(step),
    ...added
      .filter((column) => isMissing(dialect.place, column, columns, created))
      .map(({ table, name, type }) => step(`alter table ${dialect.place.own[table]} add column ${quoteIdentifier(name)} ${type}`)),
    ...indexes.filter(({ name }) => !known.has(name)).map(({ text }) => step(text)),
    ...tables.flatMap((table) => planTable(table, columns.get(table.name), known, conflicts)),
    ...kept.flatMap((table) => planCapture(table, columns.get(table.name), captures?.get(table.name) ?? new Set()).map(step)),
  ];
  return { steps, conflicts, columns, indexes: known };
}

function step(text: string): MigrationStep {
  return { text, run: (session) => write(session, text) };
}

/** The name of the table that a statement creates. */
function createdName(text: string): string {
  return (/^create (?:unlogged )?table if not exists (?:"(?:[^"]|"")+"\.)?"((?:[^"]|"")+)"/.exec(text)?.[1] ?? text).replaceAll('""', '"');
}

/** A column that tables of older versions do not have. The statement that creates the table may have it. */
function isMissing(
  { ownName }: Place,
  { table: key, name }: AddedColumn,
  columns: ReadonlyMap<string, ReadonlyMap<string, string>>,
  created: readonly string[],
): boolean {
  const table = ownName(key);
  const existing = columns.get(table);
  return existing === undefined
    ? !created.some((text) => createdName(text) === table && text.includes(`${quoteIdentifier(name)} `))
    : !existing.has(name);
}

function planTable(
  table: OwnTable,
  existing: ReadonlyMap<string, string> | undefined,
  known: ReadonlyMap<string, string>,
  conflicts: string[],
): MigrationStep[] {
  const columns = existing === undefined ? [step(createTable(table))] : planColumns(table, existing, conflicts);
  const indexes = indexDefinitions(table).filter(({ name }) => !known.has(name));
  return [...columns, ...indexes.map((index) => ({ text: index.text, run: (session: Session) => createIndex(session, table, index) }))];
}

function planColumns(table: OwnTable, existing: ReadonlyMap<string, string>, conflicts: string[]): MigrationStep[] {
  const steps: MigrationStep[] = [];
  const added: string[] = [];
  for (const { name, type: wanted, define, isAddable, isRequired, renamedTo } of columnDefinitions(table)) {
    const type = existing.get(name);
    if (renamedTo !== undefined && existing.has(renamedTo)) conflicts.push(bothNames(table, name, renamedTo));
    if (type === undefined) {
      if (!isAddable) {
        conflicts.push(foreignTable(table, name));
        return [];
      }
      const adding = step(`alter table ${table.quoted} add column ${quoteIdentifier(name)} ${define()}`);
      steps.push(isRequired ? { ...adding, lacking: { table, field: renamedTo ?? name } } : adding);
      added.push(name);
    } else if (type !== catalogType(wanted)) {
      conflicts.push(
        `The column "${name}" of the table "${table.name}" has the type ${type}, but the collection needs ${catalogType(wanted)}. ` +
          "Change the column in your own migration, or give the field another name.",
      );
    }
  }
  const [last] = steps.splice(-1);
  if (last === undefined) return [];
  // The folded texts of existing rows belong to the last column that is added.
  const run = async (session: Session) => {
    await last.run(session);
    await backfillShadows(session, table, added);
  };
  return [...steps, { ...last, run }];
}

async function warnOfLack(session: Session, { table, field }: NonNullable<MigrationStep["lacking"]>, warn: NonNullable<MigrateOptions["warn"]>) {
  const { rows } = await run(session, { text: `select 1 from ${table.quoted} limit 1`, values: [], writes: false, returns: "one" });
  if (rows.length === 0) return;
  warn(
    { collection: table.model.name, field },
    "A new field is required, but rows that exist have no value of it and show null. Give it a default, or a function in `backfill`.",
  );
}

function bothNames({ model }: OwnTable, column: string, field: string): string {
  return (
    `${model.name}: "renamedFrom" says that "${field}" is in the column "${column}", but the table has a column "${field}". ` +
    `If "${field}" has the values, remove it from "renamedFrom"; otherwise drop that column.`
  );
}

function missingError(steps: readonly MigrationStep[]): Error {
  const statements = steps.map(({ text }) => `${text};`);
  return new Error(
    `The database lacks tables, columns or indexes of this library, and the storage has migrate: "check". Run these statements, which "npx restwright sql" prints too:\n${statements.join("\n")}`,
  );
}

function foreignTable(table: OwnTable, name: string): string {
  return `The table "${table.name}" exists but has no column "${name}": this library did not create it. Rename the table or the collection.`;
}

async function createIndex(session: Session, table: OwnTable, index: IndexDefinition): Promise<void> {
  try {
    await write(session, index.text);
  } catch (error) {
    if (index.unique === undefined || !isUniqueViolation(error)) throw error;
    const fields = index.unique.join(", ");
    throw new Error(
      `The table "${table.name}" has rows with the same ${fields}, which the collection declares unique. Remove the duplicates first.`,
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
  // A value that is missing is computed from all others.
  const read = sources.some((column) => column.backfill !== undefined) ? table.rowColumns : [id, ...sources];
  const selected = read.map((column) => column.selected).join(", ");
  const assignments = shadows.map(({ name }, index) => `${quoteIdentifier(name)} = ${dialect.placeholder(index + 1)}`).join(", ");
  const key = `"_tenant" = ${dialect.placeholder(shadows.length + 1)} and ${id.quoted} = ${dialect.placeholder(shadows.length + 2)}`;
  for (let after: readonly unknown[] = []; ; ) {
    const where = after.length === 0 ? "" : ` where (${order}) > (${place.join(", ")})`;
    const text = `select "_tenant", ${selected} from ${quoted}${where} order by ${order} limit ${pageRows}`;
    const { rows } = await run(session, { text, values: after, writes: true, returns: "many", bigints });
    for (const stored of rows) {
      const values = decodeColumns(read, stored);
      after = [stored["_tenant"], id.encode(values[id.name])];
      const update = `update ${quoted} set ${assignments} where ${key}`;
      await run(session, { text: update, values: [...shadows.map(({ derive }) => derive(values)), ...after], writes: true, returns: "none" });
    }
    if (rows.length < pageRows) return;
  }
}

/** The name of a type in the catalogue of the database. */
function catalogType(definition: string): string {
  const type = definition.toLowerCase();
  if (type.startsWith("timestamptz")) return "timestamp with time zone";
  return type.startsWith("double precision") ? "double precision" : (type.split(" ")[0] ?? type);
}
