import { transactionEnded } from "../../../src/ground/storage/insideTransaction.js";
import type { StoredEvent } from "../../../src/ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../src/ground/storage/queue/webhooks.js";
import { type DeliveryRecords, deliveryPlace } from "./records/deliveryRecords.js";
import { type JobRecords, jobPlace } from "./records/jobRecords.js";
import { CommittedQueues, OverlayQueues } from "./records/queuedRecords.js";
import { type Clock, CommittedRecords, MapRecords, OverlayRecords, type Records } from "./records/records.js";
import type { EventRecord, SubscriberRecord } from "./records/taskRecord.js";
import { CommittedTasks, OverlayTasks, type TaskRecords } from "./records/taskRecords.js";
import type { AccountSums, StoredUpload } from "./records/uploads.js";
import type { WaitingEvent } from "./records/waiting.js";
import { OverlayPartition } from "./rows/overlay.js";
import type { Partition } from "./rows/partition.js";
import type { Table } from "./rows/table.js";
import { WriteQueue } from "./writeQueue.js";

/** The kinds of records beside the rows. */
export interface RecordKinds {
  /** Idempotency records. */
  readonly operations: Records;
  readonly jobs: JobRecords;
  readonly webhooks: Records<Webhook>;
  /** A random id of the last change of each tenant's webhooks. */
  readonly generations: Records<string>;
  readonly events: Records<StoredEvent>;
  /** Events whose deliveries have not been made yet, in their order. */
  readonly waiting: Records<WaitingEvent>;
  readonly subscribers: Records<SubscriberRecord>;
  /** A random id of the last change of the active subscribers. */
  readonly subscriberGenerations: Records<string>;
  readonly taskEvents: Records<EventRecord>;
  readonly uploads: Records<StoredUpload>;
  /** The sums of the records of each account; accounts without records have none. */
  readonly uploadAccounts: Records<AccountSums>;
  readonly deliveries: DeliveryRecords;
  readonly tasks: TaskRecords;
}

/** A view of all rows and records: the committed ones, or those that one transaction sees. */
export interface Layer {
  /** Runs the writes and transactions of this layer one after the other. */
  readonly writes: WriteQueue;
  readonly records: RecordKinds;
  partition(table: Table, tenant: string | undefined): Partition;
  /** @throws {Error} if the transaction has ended */
  assertOpen(): void;
  /** @throws {Error} if the transaction is read-only */
  assertWritable(): void;
}

/**
 * Runs a synchronous step that writes, after the open transaction of the layer, if any, has ended.
 *
 * @throws {Error} if the transaction is read-only
 */
export async function queueWrite<R>(layer: Layer, section: () => R): Promise<R> {
  const now = () => {
    layer.assertWritable();
    return section();
  };
  return layer.writes.isBusy ? layer.writes.run(now) : now();
}

/** The committed rows and records. */
export class CommittedLayer implements Layer {
  readonly writes = new WriteQueue();
  readonly records: RecordKinds;

  constructor(clock: Clock) {
    this.records = {
      operations: new CommittedRecords(clock),
      jobs: new CommittedQueues(clock, jobPlace),
      webhooks: new MapRecords(clock),
      generations: new MapRecords(clock),
      events: new MapRecords(clock),
      waiting: new MapRecords(clock),
      subscribers: new MapRecords(clock),
      subscriberGenerations: new MapRecords(clock),
      taskEvents: new MapRecords(clock),
      uploads: new MapRecords(clock),
      uploadAccounts: new MapRecords(clock),
      deliveries: new CommittedQueues(clock, deliveryPlace),
      tasks: new CommittedTasks(clock),
    };
  }

  partition(table: Table, tenant: string | undefined): Partition {
    return table.partition(tenant);
  }

  assertOpen(): void {}

  assertWritable(): void {}
}

const overlaysOf = (below: RecordKinds) => ({
  operations: new OverlayRecords(below.operations),
  jobs: new OverlayQueues(below.jobs, jobPlace),
  webhooks: new OverlayRecords(below.webhooks),
  generations: new OverlayRecords(below.generations),
  events: new OverlayRecords(below.events),
  waiting: new OverlayRecords(below.waiting),
  subscribers: new OverlayRecords(below.subscribers),
  subscriberGenerations: new OverlayRecords(below.subscriberGenerations),
  taskEvents: new OverlayRecords(below.taskEvents),
  uploads: new OverlayRecords(below.uploads),
  uploadAccounts: new OverlayRecords(below.uploadAccounts),
  deliveries: new OverlayQueues(below.deliveries, deliveryPlace),
  tasks: new OverlayTasks(below.tasks),
});

/**
 * The changes of one transaction on top of the layer below; not visible outside until `commit`. Rows and records throw after the end of the transaction. Most transactions
 * change rows only, so that records are made when one is first used.
 */
export class TransactionLayer implements Layer {
  readonly writes = new WriteQueue();
  readonly #below: Layer;
  readonly #readOnly: boolean;
  readonly #overlays = new Map<Table, Map<string | undefined, OverlayPartition>>();
  #records: ReturnType<typeof overlaysOf> | undefined;
  #open = true;

  constructor(below: Layer, readOnly: boolean) {
    this.#below = below;
    this.#readOnly = readOnly;
  }

  get records(): RecordKinds {
    this.assertOpen();
    this.#records ??= overlaysOf(this.#below.records);
    return this.#records;
  }

  partition(table: Table, tenant: string | undefined): Partition {
    this.assertOpen();
    let tenants = this.#overlays.get(table);
    if (tenants === undefined) {
      tenants = new Map();
      this.#overlays.set(table, tenants);
    }
    let overlay = tenants.get(tenant);
    if (overlay === undefined) {
      overlay = new OverlayPartition(this.#below.partition(table, tenant));
      tenants.set(tenant, overlay);
    }
    return overlay;
  }

  assertWritable(): void {
    if (this.#readOnly) throw new Error("Cannot write in a read-only transaction.");
    this.#below.assertWritable();
  }

  /** The rows that were read or written, by collection and tenant. */
  *partitions(): Generator<readonly [table: Table, tenant: string | undefined, rows: OverlayPartition], void, void> {
    for (const [table, tenants] of this.#overlays) for (const [tenant, overlay] of tenants) yield [table, tenant, overlay];
  }

  /** The records that were written, by their kinds and ids. */
  *changedRecords(): Generator<readonly [kind: string, id: string], void, void> {
    for (const [kind, overlay] of Object.entries(this.#records ?? {})) for (const id of overlay.changedIds()) yield [kind, id];
  }

  /**
   * Applies all changes to the layer below in one synchronous step, except deliveries and tasks: if there are many, they follow in slices. Other writes and claims still
   * wait for the transaction then.
   *
   * @param into where the changes go, if the layer below is a copy
   */
  async commit(into = this.#below): Promise<void> {
    for (const [table, tenants] of this.#overlays) {
      for (const [tenant, overlay] of tenants) overlay.applyTo(into.partition(table, tenant));
    }
    if (this.#records === undefined) return;
    const { deliveries, tasks, ...others } = this.#records;
    for (const kind of Object.keys(others) as (keyof typeof others)[]) {
      const overlay: { applyTo(below: Records<unknown>): void } = others[kind];
      overlay.applyTo(into.records[kind]);
    }
    await deliveries.applyInSlices(into.records.deliveries);
    await tasks.applyInSlices(into.records.tasks);
  }

  end(): void {
    this.#open = false;
  }

  assertOpen(): void {
    if (!this.#open) throw transactionEnded();
    this.#below.assertOpen();
  }
}
