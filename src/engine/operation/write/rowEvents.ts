import type { z } from "zod";
import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Creation, Need, Removal, Update, WriteStage } from "./stage.js";

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

/** Passes the writes of a transaction to `events` before the commit. */
export class EventStage implements WriteStage {
  readonly #tell: (writes: readonly RowWrite[], call: Call) => Promise<void>;

  /** @param name of the collection */
  constructor(name: string, tx: Storage, events: RowEvents) {
    this.#tell = async (writes, call) => {
      if (writes.length > 0) await events.join(tx, name, writes, call);
    };
  }

  needsForUpdate(): Need {
    return "read";
  }

  async create({ rows, call }: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    // Events contain the whole rows, even if the caller needs less.
    const outcomes = await next({ rows, call: { ...call, returning: "row" } });
    await this.#tell(outcomes.flatMap(written("create")), call);
    return outcomes;
  }

  async update(update: Update, next: (update: Update) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const outcome = await next(update);
    if (outcome.ok) await this.#tell([{ kind: "update", row: outcome.row, before: update.before }], update.call);
    return outcome;
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const outcome = await next(removal);
    await this.#tell([outcome].flatMap(written("remove")), removal.call);
    return outcome;
  }
}

/** What was written; nothing if it was told before, by an earlier attempt of the same operation or as the dependent of another row. */
function written(kind: "create" | "remove"): (outcome: Outcome<Row>) => RowWrite[] {
  return (outcome) => (outcome.ok && outcome.created !== false ? [{ kind, row: outcome.row }] : []);
}
