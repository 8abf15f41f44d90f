import { randomBytes } from "node:crypto";
import { clock as clockSchema, optionsCheck, strict } from "../../../src/ground/options/index.js";
import { withLazyStores } from "../../../src/ground/storage/completed/withLazyStores.js";
import { requireAwaited } from "../../../src/ground/storage/insideTransaction.js";
import type { CollectionModel } from "../../../src/ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../../src/ground/storage/storage.js";
import { CommittedLayer, type Layer, TransactionLayer } from "./layer.js";
import { deliveriesOver } from "./records/deliveries.js";
import { idempotencyOver } from "./records/idempotency.js";
import { jobsOver } from "./records/jobs.js";
import { type Clock, systemClock } from "./records/records.js";
import { subscribersOver } from "./records/subscribers.js";
import { uploadsOver } from "./records/uploads.js";
import { webhooksOver } from "./records/webhooks.js";
import { ChangeRing } from "./rows/changeRing.js";
import { MemoryCollection } from "./rows/collection.js";
import { Table } from "./rows/table.js";

/** Options of {@link memoryStorage}. */
export interface MemoryOptions {
  /** The clock for leases and ages. Defaults to the system clock. */
  readonly clock?: Clock | undefined;
}

const check = /* @__PURE__ */ optionsCheck("memoryStorage", () => strict<MemoryOptions>({ clock: clockSchema() }));

/**
 * A store in the memory of this process, for tests, examples and data that may be lost. Its data are lost when the process ends.
 *
 * JSON values in rows are not copied: never change one that was written or read.
 *
 * @example
 * const storage = memoryStorage();
 * const notes = storage.collection(model);
 * await notes.insert({ id: "n1", text: "Buy milk", _version: "v1", _updatedAt: new Date(0) }, {});
 */
export function memoryStorage(options: MemoryOptions = {}): Storage {
  check(options);
  const { clock = systemClock } = options;
  const secret = randomBytes(32).toString("base64url");
  const changes = new ChangeRing(clock);
  return { ...storageOver(new CommittedLayer(clock), openTables(changes)), changes, secret: async () => secret };
}

/** Finds the table of a model, or makes it. */
export function openTables(changes?: ChangeRing): (model: CollectionModel) => Table {
  const tables = new Map<string, Table>();
  return (model) => {
    const known = tables.get(model.name);
    if (known === undefined) {
      const table = new Table(model, changes);
      tables.set(model.name, table);
      return table;
    }
    if (known.model !== model) known.adopt(model);
    return known;
  };
}

/** The rows and records of a layer. */
export function storageOver(layer: Layer, tableOf: (model: CollectionModel) => Table, queue: object = layer.writes): Storage {
  const tables = { layer, tableOf };
  const storage: Storage = {
    name: "memory",
    queue,
    collection: (model) => new MemoryCollection(tableOf(model), tables),
    transaction: (run, options) => layer.writes.transaction(() => inTransaction({ layer, tableOf, queue }, run, options)),
    migrate: async (models) => {
      for (const model of models) tableOf(model);
    },
    ping: async () => {},
  };
  return withLazyStores(storage, {
    idempotency: () => idempotencyOver(layer),
    jobs: () => jobsOver(layer),
    webhooks: () => webhooksOver(layer),
    deliveries: () => deliveriesOver(layer),
    subscribers: () => subscribersOver(layer),
    uploads: () => uploadsOver(layer),
  });
}

interface Below {
  readonly layer: Layer;
  readonly tableOf: (model: CollectionModel) => Table;
  readonly queue: object;
}

async function inTransaction<R>(
  { layer: below, tableOf, queue }: Below,
  run: (tx: Storage) => Promise<R>,
  { signal, readOnly = false }: TransactionOptions = {},
): Promise<R> {
  signal?.throwIfAborted();
  below.assertOpen();
  const layer = new TransactionLayer(below, readOnly);
  try {
    const result = await run(storageOver(layer, tableOf, queue));
    signal?.throwIfAborted();
    requireAwaited(layer.writes.transactions);
    await layer.commit();
    return result;
  } finally {
    layer.end();
  }
}
