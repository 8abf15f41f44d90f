import type { Storage } from "restwright";

/** The same storage as a plain object, but for what a test changes; methods of a store may stand on its prototype. */
export function boundStorage(storage: Storage, changes: Partial<Storage> = {}): Storage {
  const { transaction, migrate, secret, ping, close, idempotency, jobs, uploads } = storage;
  return {
    name: storage.name,
    collection: (model) => storage.collection(model),
    idempotency,
    jobs,
    uploads,
    ...(transaction && { transaction: transaction.bind(storage) }),
    ...(migrate && { migrate: migrate.bind(storage) }),
    ...(secret && { secret: secret.bind(storage) }),
    ...(ping && { ping: ping.bind(storage) }),
    ...(close && { close: close.bind(storage) }),
    ...changes,
  };
}

/** The storage's transactions, which it has to have. */
export function transactionOf(storage: Storage): NonNullable<Storage["transaction"]> {
  return storage.transaction?.bind(storage) ?? (() => Promise.reject(new Error(`${storage.name} has no transactions.`)));
}

/** The storage's jobs, which it has to have. */
export function jobsOf({ name, jobs }: Storage): NonNullable<Storage["jobs"]> {
  if (jobs === undefined) throw new Error(`${name} keeps no jobs.`);
  return jobs;
}
