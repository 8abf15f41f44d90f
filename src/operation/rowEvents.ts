import type { z } from "zod";
import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../storage/rowsOver.js";
import type { Id } from "../storage/scalar.js";
import type { Storage } from "../storage/storage.js";
import { RowsById } from "./rowsById.js";

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

/** The rows of a transaction. Their writes are passed to `events` before the commit. */
export class ListenedRows extends RowsById {
  readonly #tell: (writes: readonly RowWrite[], call: Call) => Promise<void>;

  /** @param name of the collection */
  constructor(rows: Required<Collection>, name: string, tx: Storage, events: RowEvents) {
    super(rows);
    this.#tell = async (writes, call) => {
      if (writes.length > 0) await events.join(tx, name, writes, call);
    };
  }

  override async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.#heard("create", await this.rows.insert(row, call), call);
  }

  override async remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return this.#heard("remove", await this.rows.remove(id, call), call);
  }

  override async insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    // Events contain the whole rows, even if the caller needs less.
    const outcomes = await this.rows.insertMany(given, { ...call, returning: "row" });
    await this.#tell(
      outcomes.flatMap((outcome): RowWrite[] => (outcome.ok && outcome.created !== false ? [{ kind: "create", row: outcome.row }] : [])),
      call,
    );
    return outcomes;
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    // A version pins the row that was read before.
    const before =
      (call.ifVersion !== undefined && call.before?._version === call.ifVersion ? call.before : undefined) ?? (await this.rows.get(id, call));
    const outcome = await this.rows.update(id, patch, call);
    if (outcome.ok) await this.#tell([{ kind: "update", row: outcome.row, before }], call);
    return outcome;
  }

  async #heard(kind: "create" | "remove", outcome: Outcome<Row>, call: Call): Promise<Outcome<Row>> {
    // A row that an earlier attempt of the same operation inserted was reported then.
    if (outcome.ok && outcome.created !== false) await this.#tell([{ kind, row: outcome.row }], call);
    return outcome;
  }
}
