import type { Call, Collection, Row } from "../storage/collection.js";
import type { Outcome } from "../storage/outcome.js";
import type { Storage } from "../storage/storage.js";

/** A write of one row that succeeded. */
export interface RowWrite {
  readonly kind: "create" | "update" | "remove";
  /** As it was written; of a removed row as it was last. */
  readonly row: Row;
  /** As it was before an update. */
  readonly before?: Row | undefined;
}

/** An event that a write may cause. */
export interface RowEvent {
  readonly on: ReadonlySet<RowWrite["kind"]>;
  when(row: Row, before: Row | undefined): boolean;
  data(row: Row): Readonly<Record<string, unknown>>;
}

/** What hears of rows that are written, within the transaction that writes them. */
export interface RowEvents {
  /** Whether anything of the collection is heard of. */
  concerns(collection: string): boolean;
  /** @throws where the writes must not commit */
  join(tx: Storage, collection: string, writes: readonly RowWrite[], call: Call): Promise<void>;
}

/**
 * The rows of a transaction, whose writes are told to `events` before they commit.
 *
 * @param name of the collection
 */
export function heardRows(rows: Required<Collection>, name: string, tx: Storage, events: RowEvents): Required<Collection> {
  const tell = async (writes: readonly RowWrite[], call: Call) => {
    if (writes.length > 0) await events.join(tx, name, writes, call);
  };
  const heard = async (kind: "create" | "remove", outcome: Outcome<Row>, call: Call) => {
    // What an earlier try of the same operation inserted was told then.
    if (outcome.ok && outcome.created !== false) await tell([{ kind, row: outcome.row }], call);
    return outcome;
  };
  return {
    can: rows.can,
    find: (query, call) => rows.find(query, call),
    get: (id, call) => rows.get(id, call),
    count: (filter, call) => rows.count(filter, call),
    getMany: (ids, call) => rows.getMany(ids, call),
    findGroups: (query, call) => rows.findGroups(query, call),
    iterate: (query, call) => rows.iterate(query, call),
    insert: async (row, call) => heard("create", await rows.insert(row, call), call),
    remove: async (id, call) => heard("remove", await rows.remove(id, call), call),
    async insertMany(given, call) {
      // Events carry the rows with their ids, whatever the caller needs of them.
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

/** Ids of the rows that these would write are known to the store alone. */
function unheard(method: string): Error {
  return new Error(`Rows whose writes are heard of are written by their ids; "${method}" names none.`);
}
