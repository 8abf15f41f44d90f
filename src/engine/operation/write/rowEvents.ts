import type { z } from "zod";
import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Storage } from "../../../ground/storage/storage.js";

/** A write of one row that succeeded. */
export interface RowWrite {
  readonly kind: "create" | "update" | "remove";
  /** The written row, or the last state of a removed row. */
  readonly row: Row;
  /** The row before an update. */
  readonly before?: Row | undefined;
}

/** An event that a write may emit. Its callbacks get rows as the schema has them. */
export interface RowEvent {
  readonly on: ReadonlySet<RowWrite["kind"]>;
  when(row: Readonly<Record<string, unknown>>, before: Readonly<Record<string, unknown>> | undefined): boolean;
  data(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Describes the data. */
  readonly schema?: z.core.$ZodType | undefined;
}

/** A row that an event is about. */
export interface EventRow {
  readonly collection: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** A custom event. */
export interface EmittedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The tenant whose webhooks receive it. */
  readonly tenant?: string | undefined;
  /**
   * The row that the event is about: a webhook gets the event only if its owner may read this row when it is sent. The row must be whole, as rows hold it, with `Date` and `bigint`.
   * Without `of` all webhooks that subscribe to the type get it.
   */
  readonly of?: EventRow | undefined;
}

/** Listens to written rows, within the transaction that writes them. */
export interface RowEvents {
  /** Whether it listens to the collection. */
  concerns(collection: string): boolean;
  /** @throws if the writes must not commit */
  join(tx: Storage, collection: string, writes: readonly RowWrite[], call: Call): Promise<void>;
  /**
   * Emits an event of the developer's within a transaction.
   *
   * @returns the id of the event
   */
  readonly emit?: ((event: EmittedEvent, tx: Storage) => Promise<string>) | undefined;
  /**
   * Declares types of events that the developer emits, besides those that options name. Called until `createService` returns.
   *
   * @throws {ConfigurationError} for a type that is not in dot notation, or reserved for the service
   */
  addTypes?(types: Iterable<string>): void;
  /** Called when a transaction begins; the returned function is called after the commit. */
  observeCommit?(): () => void;
}
