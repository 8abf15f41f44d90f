import type { IdempotencyStore, Storage } from "restwright";

/** The same storage, whose leases on keys last so long at most: a test need not wait for those of a process that died. */
export function shortLeases(storage: Storage, leaseMs = 15): Storage {
  const { idempotency } = storage;
  const transaction = storage.transaction?.bind(storage);
  return {
    name: storage.name,
    collection: (model) => storage.collection(model),
    jobs: storage.jobs,
    idempotency: idempotency && shortened(idempotency, leaseMs),
    ...(transaction && { transaction: (run, options) => transaction((tx) => run(shortLeases(tx, leaseMs)), options) }),
    ...(storage.migrate && { migrate: (models) => storage.migrate?.(models) ?? Promise.resolve() }),
    secret: () => storage.secret?.() ?? Promise.reject(new Error("The storage keeps no secret.")),
    close: async () => storage.close?.(),
  };
}

function shortened(store: IdempotencyStore, leaseMs: number): IdempotencyStore {
  const begin: IdempotencyStore["begin"] = (id, options) => store.begin(id, { ...options, leaseMs: Math.min(options.leaseMs, leaseMs) });
  return new Proxy(store, {
    get(target, member) {
      if (member === "begin") return begin;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
