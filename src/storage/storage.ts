import type { Collection } from "./collection.js";
import type { DeliveryStore } from "./deliveries.js";
import type { IdempotencyStore } from "./idempotency.js";
import type { JobStore } from "./jobs.js";
import type { CollectionModel } from "./model.js";
import type { UploadStore } from "./uploads.js";
import type { WebhookStore } from "./webhooks.js";

export interface TransactionOptions {
  readonly readOnly?: boolean | undefined;
  readonly isolation?: "committed" | "snapshot" | "serializable" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A place where rows live. Stores take the filter AST, ids and plain data, never a request. */
export interface Storage {
  /** For messages and health: `memory`, `sqlite`, `postgres`. */
  readonly name: string;
  /** Whether other machines may be on it: what one process makes up, others do not know. */
  readonly isShared?: boolean | undefined;
  /** The collection that the model describes. The same model gives the same rows. */
  collection(model: CollectionModel): Collection;
  /** Runs `fn` in one transaction: all of its writes or, when it throws, none. Nested calls on `tx` are savepoints. */
  transaction?<R>(fn: (tx: Storage) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Records of operations beside the rows; on a `tx` they commit and roll back with its rows. */
  readonly idempotency?: IdempotencyStore | undefined;
  /** Jobs beside the rows; on a `tx` they commit and roll back with its rows. */
  readonly jobs?: JobStore | undefined;
  /** Registrations of webhooks beside the rows, as jobs are. */
  readonly webhooks?: WebhookStore | undefined;
  /** Events and their deliveries beside the rows: on a `tx` they are enqueued if and only if it commits. */
  readonly deliveries?: DeliveryStore | undefined;
  /** Records of uploads beside the rows, as jobs are. */
  readonly uploads?: UploadStore | undefined;
  /** Creates or upgrades what the models need. Safe when several processes start at once; never destructive. */
  migrate?(models: readonly CollectionModel[]): Promise<void>;
  /**
   * A secret of at least 32 random bytes, in base64url, that the store made once and keeps: all processes on it sign with the same.
   * Asked for after `migrate`.
   */
  secret?(): Promise<string>;
  /** Resolves when the store answers. @throws {Unavailable} */
  ping?(): Promise<void>;
  /** Ends what the store opened itself; a connection that it was given stays open. */
  close?(): Promise<void>;
}
