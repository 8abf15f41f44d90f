import type { TransactionCollections } from "../../engine/calls/callerCollections.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Call, Collection } from "../../ground/storage/collection.js";
import { complete } from "../../ground/storage/completed/complete.js";
import { RowsOver } from "../../ground/storage/completed/rowsOver.js";
import type { Storage } from "../../ground/storage/storage.js";

/** The storage without its writes. Reads need no transaction, so that a GET does not wait for the writer of the store. */
export function readOnlyStorage(storage: Storage, place: string): Storage {
  const readOnly: Storage = {
    name: storage.name,
    // It writes nothing that could depend on what it reads.
    isolation: "serializable",
    collection: (model) => new ReadRows(complete(storage.collection(model), model.id), place),
    transaction: (run) => run(readOnly),
    async sql(text, values) {
      // A transaction of its own, in which the database itself refuses to write.
      if (storage.transaction === undefined) throw new ConfigurationError(`"tx.sql" needs a store with SQL; "${storage.name}" has none.`);
      return storage.transaction(
        async (tx) => {
          if (tx.sql === undefined) throw new ConfigurationError(`"tx.sql" needs a store with SQL; "${storage.name}" has none.`);
          return tx.sql(text, values);
        },
        { readOnly: true },
      );
    },
  };
  return readOnly;
}

/** The same, without what only a transaction that commits can do. */
export function refuseInGet(tx: TransactionCollections, place: string): TransactionCollections {
  const refuse = (name: string) => () => {
    throw new ConfigurationError(`${place} is a GET, which only reads: it cannot call "tx.${name}". Give it the method POST.`);
  };
  const refused = { emit: refuse("emit"), lock: refuse("lock"), afterCommit: refuse("afterCommit") };
  // A collection may be called "jobs".
  return Object.assign(tx, refused, Object.hasOwn(tx, "jobs") && { jobs: { enqueue: refuse("jobs.enqueue") } });
}

class ReadRows extends RowsOver {
  readonly #place: string;

  constructor(rows: Required<Collection>, place: string) {
    super(rows);
    this.#place = place;
  }

  override insert(): Promise<never> {
    return this.#refuse();
  }

  override insertMany(): Promise<never> {
    return this.#refuse();
  }

  override update(): Promise<never> {
    return this.#refuse();
  }

  override updateEach(): Promise<never> {
    return this.#refuse();
  }

  override updateMany(): Promise<never> {
    return this.#refuse();
  }

  override remove(): Promise<never> {
    return this.#refuse();
  }

  override removeMany(): Promise<never> {
    return this.#refuse();
  }

  override find(query: Parameters<RowsOver["find"]>[0], call: Call): ReturnType<RowsOver["find"]> {
    if (query.lock === undefined) return this.rows.find(query, call);
    throw new ConfigurationError(`${this.#place} is a GET, which has no transaction that would hold a lock. Give it the method POST.`);
  }

  #refuse(): Promise<never> {
    return Promise.reject(new ConfigurationError(`${this.#place} is a GET, which only reads; it cannot write. Give it the method POST.`));
  }
}
