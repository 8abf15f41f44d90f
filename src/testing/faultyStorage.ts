import type { Collection } from "../ground/storage/collection.js";
import type { Storage, TransactionOptions } from "../ground/storage/storage.js";
import { type FaultOptions, Lifetime } from "./fault/lifetime.js";
import { countedMethods } from "./fault/methods.js";

/** The storage of a simulated process, which dies at a chosen call. */
export interface FaultyStorage extends Storage {
  /** The number of calls so far, including the one that died. */
  readonly calls: number;
  readonly dead: boolean;
}

/**
 * A storage whose call number `dieAfter` dies, and all later calls with it, as if the process had crashed. Run a flow for every number, with `before` and
 * `after`, and then again on `storage` itself: that shows what a crash at each call leaves behind.
 *
 * All calls of the storage, its collections and its record stores count. A transaction counts twice, when it begins and when it commits; if it dies before its
 * commit, it is rolled back. Each batch of an iteration counts. `close` does not count and does not die.
 *
 * @throws {RangeError} if `dieAfter` is less than 1
 * @example
 * const counting = faultyStorage(memoryStorage());
 * await order(counting);
 * for (let dieAfter = 1; dieAfter <= counting.calls; dieAfter++) {
 *   const storage = memoryStorage({ clock });
 *   await order(faultyStorage(storage, { dieAfter, how: "after" })).catch(() => {});
 *   clock.advance(leaseMs);
 *   await order(storage); // then check what is stored
 * }
 */
export function faultyStorage(storage: Storage, options: FaultOptions = {}): FaultyStorage {
  const lifetime = new Lifetime(options);
  const dying = faulty(storage, lifetime);
  lifetimes.set(dying, lifetime);
  return dying;
}

const lifetimes = new WeakMap<FaultyStorage, Lifetime>();

/** The lifetime of the simulated process of a storage. @internal */
export function lifetimeOf(storage: FaultyStorage): Lifetime {
  const lifetime = lifetimes.get(storage);
  if (lifetime === undefined) throw new TypeError("The storage was not created by faultyStorage.");
  return lifetime;
}

function faulty(storage: Storage, lifetime: Lifetime): FaultyStorage {
  const { deliveries, idempotency, jobs, subscribers, uploads, webhooks } = storage;
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
    subscribers: subscribers && countedMethods(subscribers, "subscribers", lifetime, {}),
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
    // Even if `run` ignored the ProcessDied of one of its calls, the transaction must not commit.
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
