import { randomBytes } from "node:crypto";
import type { CollectionModel } from "../../src/storage/model.js";
import type { Storage, TransactionOptions } from "../../src/storage/storage.js";
import { MemoryCollection } from "./collection.js";
import { deliveriesOver } from "./deliveries.js";
import { idempotencyOver } from "./idempotency.js";
import { jobsOver } from "./jobs.js";
import { CommittedLayer, type Layer, TransactionLayer } from "./layer.js";
import { type Clock, systemClock } from "./records.js";
import { Table } from "./table.js";
import { uploadsOver } from "./uploads.js";
import { webhooksOver } from "./webhooks.js";

/** How {@link memoryStorage} is made. */
export interface MemoryOptions {
  /** What leases of operations, jobs and deliveries, and all ages, go by; the system's unless given. */
  readonly clock?: Clock | undefined;
}

/**
 * A store in the memory of this process, for tests, examples and data that may be lost. It ends with the process.
 *
 * Rows are not copied in depth, neither in nor out: never change a JSON value that has been written or read.
 *
 * @example
 * const storage = memoryStorage();
 * const notes = storage.collection(model);
 * await notes.insert({ id: "n1", text: "Buy milk", _version: "v1", _updatedAt: new Date(0) }, {});
 */
export function memoryStorage({ clock = systemClock }: MemoryOptions = {}): Storage {
  const tables = new Map<string, Table>();
  const secret = randomBytes(32).toString("base64url");
  const storage = storageOver(new CommittedLayer(clock), (model) => {
    const known = tables.get(model.name);
    if (known === undefined) {
      const table = new Table(model);
      tables.set(model.name, table);
      return table;
    }
    if (known.model !== model) known.adopt(model);
    return known;
  });
  return { ...storage, secret: async () => secret };
}

function storageOver(layer: Layer, tableOf: (model: CollectionModel) => Table): Storage {
  return {
    name: "memory",
    collection: (model) => new MemoryCollection(tableOf(model), layer),
    idempotency: idempotencyOver(layer),
    jobs: jobsOver(layer),
    webhooks: webhooksOver(layer),
    deliveries: deliveriesOver(layer),
    uploads: uploadsOver(layer),
    transaction: (run, options) => layer.turns.run(() => inTransaction(layer, tableOf, run, options)),
    migrate: async (models) => {
      for (const model of models) tableOf(model);
    },
    ping: async () => {},
  };
}

async function inTransaction<R>(
  below: Layer,
  tableOf: (model: CollectionModel) => Table,
  run: (tx: Storage) => Promise<R>,
  { signal, readOnly = false }: TransactionOptions = {},
): Promise<R> {
  signal?.throwIfAborted();
  const layer = new TransactionLayer(below, readOnly);
  try {
    const result = await run(storageOver(layer, tableOf));
    signal?.throwIfAborted();
    layer.commit();
    return result;
  } finally {
    layer.end();
  }
}
