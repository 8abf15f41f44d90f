import { randomBytes } from "node:crypto";
import { withLazyStores } from "../../../../src/ground/storage/completed/withLazyStores.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { CommittedLayer } from "../layer.js";
import { deliveriesOver } from "../records/deliveries.js";
import { idempotencyOver } from "../records/idempotency.js";
import { jobsOver } from "../records/jobs.js";
import { type Clock, systemClock } from "../records/records.js";
import { subscribersOver } from "../records/subscribers.js";
import { uploadsOver } from "../records/uploads.js";
import { webhooksOver } from "../records/webhooks.js";
import { ChangeRing } from "../rows/changeRing.js";
import { openTables } from "../storage.js";
import { InterleavedRows } from "./interleavedRows.js";
import { Session } from "./session.js";
import { Transactions } from "./transactions.js";
import { Turns } from "./turns.js";

/** What the order of a store's calls follows from. */
export interface InterleavingOptions {
  readonly seed: number;
  readonly clock?: Clock | undefined;
}

/** A store, and the turns of its calls. */
export interface Interleaving {
  readonly storage: Storage;
  readonly turns: Turns;
}

/**
 * A store in memory whose transactions run concurrently, as those of PostgreSQL do, and switch at each call in an order that follows from the seed.
 *
 * - `committed`: reads see what others have committed, and the transaction's own writes. A write or a locking read waits until the others that hold the row, or a unique key
 *   of it, have ended, and is then made on what they left.
 * - `snapshot`: reads see the rows as they were when the transaction began; a write of what others have changed since fails with `Retryable`.
 * - `serializable`: also fails with `Retryable` if another serializable transaction has changed what this one has read. What a query has read is compared by collection.
 *
 * Of transactions that wait for each other one fails with `Retryable`. Records beside the rows are held by transactions as rows are, and always read as committed.
 */
export function interleavedStorage({ seed, clock = systemClock }: InterleavingOptions): Interleaving {
  const turns = new Turns(seed);
  const committed = new CommittedLayer(clock);
  const changes = new ChangeRing(clock);
  const outside = new Session({ turns, transactions: new Transactions(committed), tableOf: openTables(changes) }, committed, undefined);
  const secret = randomBytes(32).toString("base64url");
  return { storage: { ...storageOf(outside), changes, secret: async () => secret, close: async () => turns.stop() }, turns };
}

function storageOf(session: Session): Storage {
  const { tx, shared } = session;
  const { tableOf, transactions } = shared;
  const storage: Storage = {
    name: "memory",
    collection: (model) => new InterleavedRows(session, model),
    transaction: (run, options) => session.transaction((inner) => run(storageOf(inner)), options),
    migrate: async (models) => {
      for (const model of models) tableOf(model);
    },
    ping: async () => {},
    ...(tx !== undefined && { isolation: tx.isolation, lock: (key: string) => session.lock(key) }),
  };
  // Their methods are listed by stores that are never called.
  const layer = transactions.committed;
  return withLazyStores(storage, {
    idempotency: () => recordsIn(session, "idempotency", idempotencyOver(layer)),
    jobs: () => recordsIn(session, "jobs", jobsOver(layer)),
    webhooks: () => recordsIn(session, "webhooks", webhooksOver(layer)),
    deliveries: () => recordsIn(session, "deliveries", deliveriesOver(layer)),
    subscribers: () => recordsIn(session, "subscribers", subscribersOver(layer)),
    uploads: () => recordsIn(session, "uploads", uploadsOver(layer)),
  });
}

/** A store of records; each call takes one turn. */
function recordsIn<S extends object>(session: Session, kind: keyof Storage, store: S): S {
  const methods = Object.keys(store).map((method) => {
    const call = (...values: unknown[]) =>
      session.call({
        label: `${kind}.${method}`,
        run: (storage) => {
          const inner = storage[kind] as Readonly<Record<string, (...values: unknown[]) => Promise<unknown>>>;
          return (inner[method] as (...values: unknown[]) => Promise<unknown>)(...values);
        },
      });
    return [method, call];
  });
  return Object.fromEntries(methods) as S;
}
