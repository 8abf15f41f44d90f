import type { StoredEvent } from "../../../src/ground/storage/deliveries.js";
import { transactionEnded } from "../../../src/ground/storage/insideTransaction.js";
import type { KnownSubscriber } from "../../../src/ground/storage/subscribers.js";
import type { Webhook } from "../../../src/ground/storage/webhooks.js";
import type { DeliveryRecord } from "./records/deliveryRecord.js";
import { type DeliveryRecords, deliveryPlace } from "./records/deliveryRecords.js";
import type { JobRecord } from "./records/jobRecord.js";
import { type JobRecords, jobPlace } from "./records/jobRecords.js";
import { CommittedQueues, OverlayQueues } from "./records/queuedRecords.js";
import { type Clock, CommittedRecords, MapRecords, type OperationRecord, OverlayRecords, type Records } from "./records/records.js";
import type { EventRecord } from "./records/taskRecord.js";
import { CommittedTasks, OverlayTasks, type TaskRecords } from "./records/taskRecords.js";
import type { AccountSums, StoredUpload } from "./records/uploads.js";
import type { WaitingEvent } from "./records/waiting.js";
import { OverlayPartition } from "./rows/overlay.js";
import type { Partition } from "./rows/partition.js";
import type { Table } from "./rows/table.js";
import { WriteQueue } from "./writeQueue.js";

/** A view of all rows and records: the committed ones, or those that one transaction sees. */
export interface Layer {
  /** Runs the writes and transactions of this layer one after the other. */
  readonly writes: WriteQueue;
  partition(table: Table, tenant: string | undefined): Partition;
  /** Idempotency records. */
  readonly records: Records;
  readonly jobs: JobRecords;
  readonly webhooks: Records<Webhook>;
  /** A random id of the last change of each tenant's webhooks. */
  readonly generations: Records<string>;
  readonly events: Records<StoredEvent>;
  readonly deliveries: DeliveryRecords;
  /** Events whose deliveries have not been made yet, in their order. */
  readonly waiting: Records<WaitingEvent>;
  readonly subscribers: Records<KnownSubscriber>;
  /** A random id of the last change of the active subscribers. */
  readonly subscriberGenerations: Records<string>;
  readonly tasks: TaskRecords;
  readonly taskEvents: Records<EventRecord>;
  readonly uploads: Records<StoredUpload>;
  /** The sums of the records of each account; accounts without records have none. */
  readonly uploadAccounts: Records<AccountSums>;
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

/** The committed rows. */
export class CommittedLayer implements Layer {
  readonly writes = new WriteQueue();
  readonly records: Records;
  readonly jobs: JobRecords;
  readonly webhooks: Records<Webhook>;
  readonly generations: Records<string>;
  readonly events: Records<StoredEvent>;
  readonly deliveries: DeliveryRecords;
  readonly waiting: Records<WaitingEvent>;
  readonly subscribers: Records<KnownSubscriber>;
  readonly subscriberGenerations: Records<string>;
  readonly tasks: TaskRecords;
  readonly taskEvents: Records<EventRecord>;
  readonly uploads: Records<StoredUpload>;
  readonly uploadAccounts: Records<AccountSums>;

  constructor(clock: Clock) {
    this.records = new CommittedRecords(clock);
    this.jobs = new CommittedQueues(clock, jobPlace);
    this.webhooks = new MapRecords(clock);
    this.generations = new MapRecords(clock);
    this.events = new MapRecords(clock);
    this.deliveries = new CommittedQueues(clock, deliveryPlace);
    this.waiting = new MapRecords(clock);
    this.subscribers = new MapRecords(clock);
    this.subscriberGenerations = new MapRecords(clock);
    this.tasks = new CommittedTasks(clock);
    this.taskEvents = new MapRecords(clock);
    this.uploads = new MapRecords(clock);
    this.uploadAccounts = new MapRecords(clock);
  }

  partition(table: Table, tenant: string | undefined): Partition {
    return table.partition(tenant);
  }

  assertOpen(): void {}

  assertWritable(): void {}
}

/**
 * The changes of one transaction on top of the layer below; not visible outside until `commit`. Every getter throws after the end of the transaction. Most transactions change
 * rows only, so that records are made when they are first used.
 */
export class TransactionLayer implements Layer {
  readonly writes = new WriteQueue();
  readonly #below: Layer;
  readonly #readOnly: boolean;
  readonly #overlays = new Map<Table, Map<string | undefined, OverlayPartition>>();
  #records: OverlayRecords<OperationRecord> | undefined;
  #jobs: OverlayQueues<JobRecord> | undefined;
  #webhooks: OverlayRecords<Webhook> | undefined;
  #generations: OverlayRecords<string> | undefined;
  #events: OverlayRecords<StoredEvent> | undefined;
  #deliveries: OverlayQueues<DeliveryRecord> | undefined;
  #waiting: OverlayRecords<WaitingEvent> | undefined;
  #subscribers: OverlayRecords<KnownSubscriber> | undefined;
  #subscriberGenerations: OverlayRecords<string> | undefined;
  #tasks: OverlayTasks | undefined;
  #taskEvents: OverlayRecords<EventRecord> | undefined;
  #uploads: OverlayRecords<StoredUpload> | undefined;
  #uploadAccounts: OverlayRecords<AccountSums> | undefined;
  #open = true;

  constructor(below: Layer, readOnly: boolean) {
    this.#below = below;
    this.#readOnly = readOnly;
  }

  get records(): Records {
    this.assertOpen();
    this.#records ??= new OverlayRecords(this.#below.records);
    return this.#records;
  }

  get jobs(): JobRecords {
    this.assertOpen();
    this.#jobs ??= new OverlayQueues(this.#below.jobs, jobPlace);
    return this.#jobs;
  }

  get webhooks(): Records<Webhook> {
    this.assertOpen();
    this.#webhooks ??= new OverlayRecords(this.#below.webhooks);
    return this.#webhooks;
  }

  get generations(): Records<string> {
    this.assertOpen();
    this.#generations ??= new OverlayRecords(this.#below.generations);
    return this.#generations;
  }

  get events(): Records<StoredEvent> {
    this.assertOpen();
    this.#events ??= new OverlayRecords(this.#below.events);
    return this.#events;
  }

  get deliveries(): DeliveryRecords {
    this.assertOpen();
    this.#deliveries ??= new OverlayQueues(this.#below.deliveries, deliveryPlace);
    return this.#deliveries;
  }

  get waiting(): Records<WaitingEvent> {
    this.assertOpen();
    this.#waiting ??= new OverlayRecords(this.#below.waiting);
    return this.#waiting;
  }

  get subscribers(): Records<KnownSubscriber> {
    this.assertOpen();
    this.#subscribers ??= new OverlayRecords(this.#below.subscribers);
    return this.#subscribers;
  }

  get subscriberGenerations(): Records<string> {
    this.assertOpen();
    this.#subscriberGenerations ??= new OverlayRecords(this.#below.subscriberGenerations);
    return this.#subscriberGenerations;
  }

  get tasks(): TaskRecords {
    this.assertOpen();
    this.#tasks ??= new OverlayTasks(this.#below.tasks);
    return this.#tasks;
  }

  get taskEvents(): Records<EventRecord> {
    this.assertOpen();
    this.#taskEvents ??= new OverlayRecords(this.#below.taskEvents);
    return this.#taskEvents;
  }

  get uploads(): Records<StoredUpload> {
    this.assertOpen();
    this.#uploads ??= new OverlayRecords(this.#below.uploads);
    return this.#uploads;
  }

  get uploadAccounts(): Records<AccountSums> {
    this.assertOpen();
    this.#uploadAccounts ??= new OverlayRecords(this.#below.uploadAccounts);
    return this.#uploadAccounts;
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
    const kinds: Readonly<Record<string, { changedIds(): Iterable<string> } | undefined>> = {
      ...{ records: this.#records, jobs: this.#jobs, webhooks: this.#webhooks, generations: this.#generations, events: this.#events },
      ...{
        deliveries: this.#deliveries,
        waiting: this.#waiting,
        subscribers: this.#subscribers,
        subscriberGenerations: this.#subscriberGenerations,
        tasks: this.#tasks,
      },
      ...{ taskEvents: this.#taskEvents, uploads: this.#uploads, uploadAccounts: this.#uploadAccounts },
    };
    for (const [kind, overlay] of Object.entries(kinds)) for (const id of overlay?.changedIds() ?? []) yield [kind, id];
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
    this.#records?.applyTo(into.records);
    this.#jobs?.applyTo(into.jobs);
    this.#webhooks?.applyTo(into.webhooks);
    this.#generations?.applyTo(into.generations);
    this.#events?.applyTo(into.events);
    this.#waiting?.applyTo(into.waiting);
    this.#subscribers?.applyTo(into.subscribers);
    this.#subscriberGenerations?.applyTo(into.subscriberGenerations);
    this.#taskEvents?.applyTo(into.taskEvents);
    this.#uploads?.applyTo(into.uploads);
    this.#uploadAccounts?.applyTo(into.uploadAccounts);
    await this.#deliveries?.applyInSlices(into.deliveries);
    await this.#tasks?.applyInSlices(into.tasks);
  }

  end(): void {
    this.#open = false;
  }

  assertOpen(): void {
    if (!this.#open) throw transactionEnded();
    this.#below.assertOpen();
  }
}
