import { flag, oneOf, optionsCheck, passing, strict, text } from "../../../src/ground/options/index.js";
import { withLazyStores } from "../../../src/ground/storage/completed/withLazyStores.js";
import type { CollectionModel } from "../../../src/ground/storage/model.js";
import type { MigrateOptions, Storage, TransactionOptions } from "../../../src/ground/storage/storage.js";
import { sqlChanges } from "./changes/changeLog.js";
import { SqlCollection } from "./collection.js";
import type { Dialect } from "./engine/dialect.js";
import { dialectAt, dialects } from "./engine/engines.js";
import { translateError } from "./engine/errors.js";
import type { MigrateMode, SqlExecutor } from "./engine/executor.js";
import { ownStatement } from "./engine/ownStatement.js";
import { run as runStatement, type Session, transact } from "./engine/session.js";
import { lockKey } from "./keyLock.js";
import { openTables } from "./mapped/openTables.js";
import { GatheredGets } from "./query/gatheredGets.js";
import { sqlIdempotency } from "./records/idempotency.js";
import { sqlJobs } from "./records/jobs.js";
import { sqlRateLimits } from "./records/rateLimits.js";
import { readSecret, writeProbe } from "./records/secret.js";
import { sqlSubscribers } from "./records/subscribers/subscribers.js";
import { sqlUploads } from "./records/uploads.js";
import { sqlDeliveries } from "./records/webhooks/deliveries.js";
import { sqlWebhooks } from "./records/webhooks/webhooks.js";
import { backfill } from "./schema/backfill.js";
import { compareSchema } from "./schema/compare.js";
import { fillShadows } from "./schema/fillShadows.js";
import { warnOfLackingMembers } from "./schema/lackingMembers.js";
import { migrate, type Wanted } from "./schema/migrate.js";
import { isPrefix, isSchema, type PlaceOptions, prefixRule, schemaRule } from "./schema/place.js";
import { StoredTables } from "./storedTable.js";
import { GatheredWrites } from "./write/gathered/gatheredWrites.js";

export interface SqlStorageOptions extends PlaceOptions {
  /** The name of the store in messages and health. Defaults to the name of the dialect. */
  readonly name?: string | undefined;
  /** Whether the executor already runs inside a transaction of the caller (false). On PostgreSQL each write that may fail then gets a savepoint. */
  readonly inTransaction?: boolean | undefined;
  /** Whether missing tables, columns and indexes are created at the start (`create`, the default), or are an error that names them (`check`). */
  readonly migrate?: MigrateMode | undefined;
}

const rules = () => ({ name: text(), inTransaction: flag(), migrate: oneOf("create", "check"), prefix: passing(prefixRule, isPrefix) });

const checkWithoutSchema = /* @__PURE__ */ optionsCheck("sqlStorage", () => strict<Omit<SqlStorageOptions, "schema">>(rules()));
const checkWithSchema = /* @__PURE__ */ optionsCheck("sqlStorage", () =>
  strict<SqlStorageOptions>({ ...rules(), schema: passing(schemaRule, isSchema) }),
);

/**
 * A store over any connection to SQLite or PostgreSQL, including a transaction that the caller opened.
 *
 * @example
 * const storage = sqlStorage(executorOver(trx), { inTransaction: true });
 */
export function sqlStorage(executor: SqlExecutor, options: SqlStorageOptions = {}): Storage {
  return storageIn(dialects[executor.dialect], executor, options);
}

/** The same for an engine that the executor need not name. */
export function storageIn(engine: Dialect, executor: SqlExecutor, options: SqlStorageOptions = {}): Storage {
  (engine.hasSchemas ? checkWithSchema : checkWithoutSchema)(options);
  const dialect = dialectAt(engine, options);
  const tables = new StoredTables(dialect);
  const inTransaction = options.inTransaction ?? false;
  const parts = { name: options.name ?? dialect.name, tables, queue: executor.queue, mode: options.migrate };
  const session: Session = { executor, dialect, inTransaction, defersConstraints: inTransaction };
  const gathers = executor.gathers && !inTransaction;
  return storageOver(gathers ? { ...session, gets: new GatheredGets(session), writes: new GatheredWrites() } : session, parts);
}

interface Parts {
  readonly name: string;
  readonly tables: StoredTables;
  readonly queue: object | undefined;
  readonly mode: MigrateMode | undefined;
}

function storageOver(session: Session, parts: Parts): Storage {
  const { name, tables, queue } = parts;
  const { executor } = session;
  const storage: Storage = {
    name,
    isShared: session.dialect.isShared,
    queue,
    ...(session.inTransaction
      ? partsOfTransaction(session)
      : { wakeups: executor.wakeups, changes: sqlChanges(session, (model) => tables.own(model).table) }),
    collection: (model) => new SqlCollection(tables.of(model), session),
    transaction: (run, options) => inTransaction(session, parts, run, options),
    mapsTables: session.dialect.mapped !== undefined,
    migrate: (models, options) => prepare(session, parts, models, options),
    compare: (models) => compareSchema(session, wantedOf(models, tables)),
    secret: () => readSecret(session),
    async ping() {
      try {
        await executor.ping?.();
      } catch (error) {
        throw translateError(error);
      }
    },
    probe: () => writeProbe(session),
    close: async () => executor.close?.(),
  };
  return withLazyStores(storage, {
    idempotency: () => sqlIdempotency(session),
    jobs: () => sqlJobs(session),
    webhooks: () => sqlWebhooks(session),
    deliveries: () => sqlDeliveries(session),
    subscribers: () => sqlSubscribers(session),
    uploads: () => sqlUploads(session),
    rateLimits: () => sqlRateLimits(session),
  });
}

async function inTransaction<R>(
  session: Session,
  parts: Parts,
  work: (tx: Storage) => Promise<R>,
  options: TransactionOptions | undefined,
): Promise<R> {
  options?.signal?.throwIfAborted();
  return transact(
    session,
    async (inner) => {
      const result = await work(storageOver(inner, parts));
      options?.signal?.throwIfAborted();
      return result;
    },
    options,
  );
}

/** Makes the tables of collections, stores what their rows lack, and opens the tables of the developer. */
async function prepare(session: Session, { tables, mode }: Parts, models: readonly CollectionModel[], { warn }: MigrateOptions = {}): Promise<void> {
  const mapped = models.flatMap((model) => (model.table === undefined ? [] : [tables.mapped(model, model.table)]));
  const wanted = wantedOf(models, tables);
  await migrate(session, wanted, mode, warn);
  for (const table of wanted.tables) {
    if (mode === "check") await fillShadows(session, table);
    await backfill(session, table);
    if (warn !== undefined) await warnOfLackingMembers(session, table, warn);
  }
  if (mapped.length > 0) await openTables(session, mapped, warn);
}

/** What a storage has only within a transaction. */
function partsOfTransaction(session: Session): Pick<Storage, "sql" | "lock" | "isolation"> {
  const { dialect, executor } = session;
  return {
    isolation: executor.isolation,
    lock: (key) => lockKey(session, key),
    sql: async (text, values) => (await runStatement(session, ownStatement(text, values, dialect))).rows,
  };
}

function wantedOf(models: readonly CollectionModel[], tables: StoredTables): Wanted {
  const own = models.filter((model) => model.table === undefined);
  return { tables: own.map((model) => tables.own(model).table), keepsOperations: own.length < models.length };
}
