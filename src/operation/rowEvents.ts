import type { Call, Collection, Row } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import { readsOf } from "../storage/readsOf.js";
import type { Storage } from "../storage/storage.js";

/** A write of one row that succeeded. */
export interface RowWrite {
  readonly kind: "create" | "update" | "remove";
  /** The written row, or the last state of a removed row. */
  readonly row: Row;
  /** The row before an update. */
  readonly before?: Row | undefined;
}

/** An event that a write may emit. */
export interface RowEvent {
  readonly on: ReadonlySet<RowWrite["kind"]>;
  when(row: Row, before: Row | undefined): boolean;
  data(row: Row): Readonly<Record<string, unknown>>;
}

/** Listens to written rows, within the transaction that writes them. */
export interface RowEvents {
  /** Whether it listens to the collection. */
  concerns(collection: string): boolean;
  /** @throws if the writes must not commit */
  join(tx: Storage, collection: string, writes: readonly RowWrite[], call: Call): Promise<void>;
  /** Called when a transaction begins; the returned function is called after the commit. */
  observeCommit?(): () => void;
}

/**
 * The rows of a transaction. Their writes are passed to `events` before the commit.
 *
 * @param name of the collection
 */
export function withEvents(rows: Required<Collection>, name: string, tx: Storage, events: RowEvents): Required<Collection> {
  const tell = async (writes: readonly RowWrite[], call: Call) => {
    if (writes.length > 0) await events.join(tx, name, writes, call);
  };
  const heard = async (kind: "create" | "remove", outcome: Outcome<Row>, call: Call) => {
    // A row that an earlier attempt of the same operation inserted was reported then.
    if (outcome.ok && outcome.created !== false) await tell([{ kind, row: outcome.row }], call);
    return outcome;
  };
  return {
    ...readsOf(rows),
    insert: async (row, call) => heard("create", await rows.insert(row, call), call),
    remove: async (id, call) => heard("remove", await rows.remove(id, call), call),
    async insertMany(given, call) {
      // Events contain the whole rows, even if the caller needs less.
      const outcomes = await rows.insertMany(given, { ...call, returning: "row" });
      await tell(
        outcomes.flatMap((outcome): RowWrite[] => (outcome.ok && outcome.created !== false ? [{ kind: "create", row: outcome.row }] : [])),
        call,
      );
      return outcomes;
    },
    async update(id, patch, call) {
      const before = await rows.get(id, call);
      const outcome = await rows.update(id, patch, call);
      if (outcome.ok) await tell([{ kind: "update", row: outcome.row, before }], call);
      return outcome;
    },
    updateMany: () => Promise.reject(unheard("updateMany")),
    removeMany: () => Promise.reject(unheard("removeMany")),
  };
}

/** Only the store knows which rows such a write changes. */
function unheard(method: string): Error {
  return new Error(`Rows whose writes are heard of are written by their ids; "${method}" names none.`);
}
