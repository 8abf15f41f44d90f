import type { ChangeLog } from "./changes.js";
import type { Collection } from "./collection.js";
import type { UploadStore } from "./files/uploads.js";
import type { IdempotencyStore } from "./idempotency.js";
import type { Isolation } from "./isolation.js";
import type { CollectionModel } from "./model.js";
import type { DeliveryStore } from "./queue/deliveries.js";
import type { JobStore } from "./queue/jobs.js";
import type { SubscriberStore } from "./queue/subscribers.js";
import type { WebhookStore } from "./queue/webhooks.js";
import type { RateLimitStore } from "./rateLimits.js";
import type { Wakeups } from "./wakeups.js";

export interface TransactionOptions {
  readonly readOnly?: boolean | undefined;
  /** The least isolation; a stricter default of the database stays. Conflicts that it causes reject with `Retryable`. */
  readonly isolation?: Isolation | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The function waits for nothing but this storage, and may be called again after a fault of another transaction. A store may commit such transactions
   * together, as SQLite does.
   */
  readonly isBrief?: boolean | undefined;
  /** Whether constraints that the database defers are left to the commit, so that rows may name each other. By default each write is refused at once. */
  readonly deferConstraints?: boolean | undefined;
}

export interface MigrateOptions {
  /** Hears of what a developer should know before the first request, such as a unique index of an existing table that its collection does not declare. */
  readonly warn?: ((facts: Readonly<Record<string, unknown>>, message: string) => void) | undefined;
}

/** How a database differs from the definitions of its tables. */
export interface SchemaDifference {
  /** The statements that `migrate` would run, in their order. */
  readonly missing: readonly string[];
  /** What `migrate` refuses, in words: a column of another type, a table that another program made. */
  readonly conflicts: readonly string[];
  /** Statements that drop what no definition has any more. Nothing runs them. */
  readonly unused: readonly string[];
}

/** A store of rows. Stores take the filter AST, ids and plain data, never a request. */
export interface Storage {
  /** For messages and health: `memory`, `sqlite`, `postgres`. */
  readonly name: string;
  /** Whether several machines may use it, so that a value made up by one process is unknown to others. */
  readonly isShared?: boolean | undefined;
  /** Whether a collection may be a table of the developer, `table` of its model. */
  readonly mapsTables?: boolean | undefined;
  /** The collection that the model describes. The same model always gives the same rows. */
  collection(model: CollectionModel): Collection;
  /** Runs `fn` in one transaction: all of its writes are kept or, if it throws, none. Nested calls on `tx` are savepoints, which run one after the other and end with it. */
  transaction?<R>(fn: (tx: Storage) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /**
   * What its writes and transactions wait for in turn, if only one can run at a time; the same on a `tx`. Code that runs within a transaction must not wait for it, see
   * `requireOutside`.
   */
  readonly queue?: object | undefined;
  /** The isolation of this transaction, on a `tx` only; unknown if absent. With a `queue` it is `serializable`. */
  readonly isolation?: Isolation | undefined;
  /** Waits until no other transaction holds the key, and holds it until this one ends; on a `tx` only. Not needed with a `queue`. */
  lock?(key: string): Promise<void>;
  /**
   * Runs a statement of the developer's in the transaction, for stores with SQL; on a `tx` only.
   *
   * @param text with the placeholders of the database
   */
  sql?(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Idempotency records beside the rows; on a `tx` they commit and roll back with its rows. */
  readonly idempotency?: IdempotencyStore | undefined;
  /** Jobs beside the rows; on a `tx` they commit and roll back with its rows. */
  readonly jobs?: JobStore | undefined;
  /** Registrations of webhooks beside the rows, as jobs are. */
  readonly webhooks?: WebhookStore | undefined;
  /** Events and their deliveries beside the rows: on a `tx` they are enqueued if and only if it commits. */
  readonly deliveries?: DeliveryStore | undefined;
  /** Subscribers and their events beside the rows: on a `tx` they are enqueued if and only if it commits. */
  readonly subscribers?: SubscriberStore | undefined;
  /** Upload records beside the rows, as jobs are. */
  readonly uploads?: UploadStore | undefined;
  /** Rate limits beside the rows, for `rateLimit({ store })`. Counts are not part of transactions. */
  readonly rateLimits?: RateLimitStore | undefined;
  /** The committed writes of collections that keep them; absent on a `tx`. */
  readonly changes?: ChangeLog | undefined;
  /** How processes on this database tell each other of new work; absent on a `tx`. */
  readonly wakeups?: Wakeups | undefined;
  /** Creates or upgrades the tables that the models need. Safe when several processes start at once; never destructive. */
  migrate?(models: readonly CollectionModel[], options?: MigrateOptions): Promise<void>;
  /** How the database differs from the models, for stores with SQL. Changes nothing. */
  compare?(models: readonly CollectionModel[]): Promise<SchemaDifference>;
  /**
   * A secret of at least 32 random bytes, in base64url, that the store creates once and keeps: all processes on the store sign with it.
   * Called after `migrate`.
   */
  secret?(): Promise<string>;
  /** Resolves when the store responds. @throws {Unavailable} */
  ping?(): Promise<void>;
  /** Makes a test write, once after `migrate`: rejects if the store accepts no writes, such as on a full disk or a standby. */
  probe?(): Promise<void>;
  /** Closes what the store itself opened; a connection that was passed in stays open. */
  close?(): Promise<void>;
}
