import type { Collection } from "../storage/collection.js";
import type { Storage, TransactionOptions } from "../storage/storage.js";
import { type FaultOptions, Lifetime } from "./fault/lifetime.js";
import { countedMethods } from "./fault/methods.js";

/** A storage as one process sees it that dies at a call of the test's choice. */
export interface FaultyStorage extends Storage {
  /** Calls so far, the one that died included. */
  readonly calls: number;
  readonly dead: boolean;
}

/**
 * A storage whose k-th call dies, and every later one with it: the process that made them is gone. Running a flow for every k, before and after,
 * and then again on `storage` itself, shows what a crash at each place leaves behind.
 *
 * Calls are those of its collections, its idempotency store, its jobs, its webhooks and deliveries, its uploads, and its own; a transaction counts twice, when it
 * begins and when it commits, and one that dies before its commit is rolled back. Each batch of an iteration counts. `close` neither counts nor dies.
 *
 * @throws {RangeError} when `dieAfter` is less than 1
 * @example
 * const counting = faultyStorage(memoryStorage());
 * await order(counting);
 * for (let dieAfter = 1; dieAfter <= counting.calls; dieAfter++) {
 *   const storage = memoryStorage({ clock });
 *   await order(faultyStorage(storage, { dieAfter, how: "after" })).catch(() => {});
 *   clock.advance(leaseMs);
 *   await order(storage); // and now look at what there is
 * }
 */
export function faultyStorage(storage: Storage, options: FaultOptions = {}): FaultyStorage {
  const lifetime = new Lifetime(options);
  const dying = faulty(storage, lifetime);
  lifetimes.set(dying, lifetime);
  return dying;
}

const lifetimes = new WeakMap<FaultyStorage, Lifetime>();

/** The life of the process that has the storage. @internal */
export function lifetimeOf(storage: FaultyStorage): Lifetime {
  const lifetime = lifetimes.get(storage);
  if (lifetime === undefined) throw new TypeError("This is no storage that faultyStorage made.");
  return lifetime;
}

function faulty(storage: Storage, lifetime: Lifetime): FaultyStorage {
  const { deliveries, idempotency, jobs, uploads, webhooks } = storage;
  const transaction = storage.transaction?.bind(storage);
  return countedMethods(storage, "storage", lifetime, {
    get calls() {
      return lifetime.calls;
    },
    get dead() {
      return lifetime.dead;
    },
    collection: (model: Parameters<Storage["collection"]>[0]) => faultyCollection(storage.collection(model), model.name, lifetime),
    idempotency: idempotency && countedMethods(idempotency, "idempotency", lifetime, {}),
    jobs: jobs && countedMethods(jobs, "jobs", lifetime, {}),
    webhooks: webhooks && countedMethods(webhooks, "webhooks", lifetime, {}),
    deliveries: deliveries && countedMethods(deliveries, "deliveries", lifetime, {}),
    uploads: uploads && countedMethods(uploads, "uploads", lifetime, {}),
    close: async () => storage.close?.(),
    ...(transaction && {
      transaction: <R>(run: (tx: Storage) => Promise<R>, at?: TransactionOptions) => dyingTransaction(transaction, lifetime, run, at),
    }),
  });
}

async function dyingTransaction<R>(
  transaction: NonNullable<Storage["transaction"]>,
  lifetime: Lifetime,
  run: (tx: Storage) => Promise<R>,
  options: TransactionOptions | undefined,
): Promise<R> {
  lifetime.count("storage.transaction");
  const result = await transaction(async (tx) => {
    lifetime.assertAlive();
    const answer = await run(faulty(tx, lifetime));
    // Where `run` has swallowed the death of one of its calls, this one refuses to commit.
    lifetime.count("commit");
    return answer;
  }, options);
  lifetime.assertAlive();
  return result;
}

function faultyCollection(collection: Collection, name: string, lifetime: Lifetime): Collection {
  const { iterate } = collection;
  if (iterate === undefined) return countedMethods(collection, name, lifetime, {});
  const dyingIterate: typeof iterate = async function* (query, call) {
    const batches = iterate.call(collection, query, call)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await lifetime.call(`${name}.iterate`, () => batches.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await batches.return?.();
    }
  };
  return countedMethods(collection, name, lifetime, { iterate: dyingIterate });
}
