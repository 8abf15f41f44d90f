import type { CollectionModel } from "../../src/storage/model.js";
import type { Storage } from "../../src/storage/storage.js";
import { SqlCollection } from "./collection.js";
import { sqlDeliveries } from "./deliveries.js";
import { dialects } from "./dialects.js";
import { translateError } from "./errors.js";
import type { SqlExecutor } from "./executor.js";
import { sqlIdempotency } from "./idempotency.js";
import { sqlJobs } from "./jobs.js";
import { migrate } from "./migrate.js";
import { readSecret } from "./secret.js";
import { type Session, transact } from "./session.js";
import { compileTable, type Table } from "./table.js";
import { sqlUploads } from "./uploads.js";
import { sqlWebhooks } from "./webhooks.js";

export interface SqlStorageOptions {
  /** For messages and health; the dialect's name unless given. */
  readonly name?: string | undefined;
  /** The executor stands in a transaction of the caller's already: on PostgreSQL writes that may fail get a savepoint. */
  readonly inTransaction?: boolean | undefined;
}

/**
 * A store over any connection to SQLite or PostgreSQL, the caller's own transaction included.
 *
 * @example
 * const storage = sqlStorage(executorOver(trx), { inTransaction: true });
 */
export function sqlStorage(executor: SqlExecutor, options: SqlStorageOptions = {}): Storage {
  const dialect = dialects[executor.dialect];
  const tables = new WeakMap<CollectionModel, Table>();
  const tableOf = (model: CollectionModel): Table => {
    const known = tables.get(model);
    if (known !== undefined) return known;
    const table = compileTable(model, dialect);
    tables.set(model, table);
    return table;
  };
  return storageOver({ executor, inTransaction: options.inTransaction ?? false }, options.name ?? executor.dialect, tableOf);
}

function storageOver(session: Session, name: string, tableOf: (model: CollectionModel) => Table): Storage {
  const { executor } = session;
  return {
    name,
    isShared: executor.dialect === "postgres",
    collection: (model) => new SqlCollection(tableOf(model), session),
    transaction: async (run, options) => {
      options?.signal?.throwIfAborted();
      return transact(
        session,
        async (inner) => {
          const result = await run(storageOver(inner, name, tableOf));
          options?.signal?.throwIfAborted();
          return result;
        },
        options,
      );
    },
    idempotency: sqlIdempotency(session),
    jobs: sqlJobs(session),
    webhooks: sqlWebhooks(session),
    deliveries: sqlDeliveries(session),
    uploads: sqlUploads(session),
    migrate: (models) => migrate(session, models.map(tableOf)),
    secret: () => readSecret(session, dialects[executor.dialect]),
    async ping() {
      try {
        await executor.ping?.();
      } catch (error) {
        throw translateError(error);
      }
    },
    close: async () => executor.close?.(),
  };
}
