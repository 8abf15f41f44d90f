import type { StoredEvent } from "../../src/storage/deliveries.js";
import type { Webhook } from "../../src/storage/webhooks.js";
import { CommittedDeliveries, type DeliveryRecords, OverlayDeliveries } from "./deliveryRecords.js";
import type { JobRecord } from "./jobRecord.js";
import { MapRecords } from "./mapRecords.js";
import { OverlayPartition } from "./overlay.js";
import { OverlayRecords } from "./overlayRecords.js";
import type { Partition } from "./partition.js";
import { type Clock, CommittedRecords, type OperationRecord, type Records } from "./records.js";
import type { Table } from "./table.js";
import { Turns } from "./turns.js";
import type { StoredUpload } from "./uploadRecord.js";
import type { AccountSums } from "./uploads.js";

/** A view of all rows: the committed ones, or those that one transaction sees. */
export interface Layer {
  /** Order of the writes and transactions directly in this layer. */
  readonly turns: Turns;
  /** @throws {Error} when the layer's transaction has ended. */
  partition(table: Table, tenant: string | undefined): Partition;
  /** Of operations. @throws {Error} when the layer's transaction has ended. */
  readonly records: Records;
  /** @throws {Error} when the layer's transaction has ended. */
  readonly jobs: Records<JobRecord>;
  /** @throws {Error} when the layer's transaction has ended. */
  readonly webhooks: Records<Webhook>;
  /** What the last change of a tenant's webhooks is called. @throws {Error} when the layer's transaction has ended. */
  readonly generations: Records<string>;
  /** @throws {Error} when the layer's transaction has ended. */
  readonly events: Records<StoredEvent>;
  /** @throws {Error} when the layer's transaction has ended. */
  readonly deliveries: DeliveryRecords;
  /** @throws {Error} when the layer's transaction has ended. */
  readonly uploads: Records<StoredUpload>;
  /** What the accounts of uploads have, unless it is nothing. @throws {Error} when the layer's transaction has ended. */
  readonly uploadAccounts: Records<AccountSums>;
  /** @throws {Error} when the layer takes no writes. */
  assertWritable(): void;
}

/**
 * Runs one synchronous section that writes, when the transaction that is open in the layer, if any, has ended.
 *
 * @throws {Error} when the layer takes no writes
 */
export async function writeInTurn<R>(layer: Layer, section: () => R): Promise<R> {
  const now = () => {
    layer.assertWritable();
    return section();
  };
  return layer.turns.taken ? layer.turns.run(now) : now();
}

/** The committed rows. */
export class CommittedLayer implements Layer {
  readonly turns = new Turns();
  readonly records: Records;
  readonly jobs: Records<JobRecord>;
  readonly webhooks: Records<Webhook>;
  readonly generations: Records<string>;
  readonly events: Records<StoredEvent>;
  readonly deliveries: DeliveryRecords;
  readonly uploads: Records<StoredUpload>;
  readonly uploadAccounts: Records<AccountSums>;

  constructor(clock: Clock) {
    this.records = new CommittedRecords(clock);
    this.jobs = new MapRecords(clock);
    this.webhooks = new MapRecords(clock);
    this.generations = new MapRecords(clock);
    this.events = new MapRecords(clock);
    this.deliveries = new CommittedDeliveries(clock);
    this.uploads = new MapRecords(clock);
    this.uploadAccounts = new MapRecords(clock);
  }

  partition(table: Table, tenant: string | undefined): Partition {
    return table.partition(tenant);
  }

  assertWritable(): void {}
}

/** The changes of one transaction over the layer below: nobody outside sees them until `commit`. */
export class TransactionLayer implements Layer {
  readonly turns = new Turns();
  readonly #below: Layer;
  readonly #readOnly: boolean;
  readonly #overlays = new Map<Table, Map<string | undefined, OverlayPartition>>();
  readonly #records: OverlayRecords<OperationRecord>;
  readonly #jobs: OverlayRecords<JobRecord>;
  readonly #webhooks: OverlayRecords<Webhook>;
  readonly #generations: OverlayRecords<string>;
  readonly #events: OverlayRecords<StoredEvent>;
  readonly #deliveries: OverlayDeliveries;
  readonly #uploads: OverlayRecords<StoredUpload>;
  readonly #uploadAccounts: OverlayRecords<AccountSums>;
  #open = true;

  constructor(below: Layer, readOnly: boolean) {
    this.#below = below;
    this.#readOnly = readOnly;
    this.#records = new OverlayRecords(below.records);
    this.#jobs = new OverlayRecords(below.jobs);
    this.#webhooks = new OverlayRecords(below.webhooks);
    this.#generations = new OverlayRecords(below.generations);
    this.#events = new OverlayRecords(below.events);
    this.#deliveries = new OverlayDeliveries(below.deliveries);
    this.#uploads = new OverlayRecords(below.uploads);
    this.#uploadAccounts = new OverlayRecords(below.uploadAccounts);
  }

  get records(): Records {
    this.#assertOpen();
    return this.#records;
  }

  get jobs(): Records<JobRecord> {
    this.#assertOpen();
    return this.#jobs;
  }

  get webhooks(): Records<Webhook> {
    this.#assertOpen();
    return this.#webhooks;
  }

  get generations(): Records<string> {
    this.#assertOpen();
    return this.#generations;
  }

  get events(): Records<StoredEvent> {
    this.#assertOpen();
    return this.#events;
  }

  get deliveries(): DeliveryRecords {
    this.#assertOpen();
    return this.#deliveries;
  }

  get uploads(): Records<StoredUpload> {
    this.#assertOpen();
    return this.#uploads;
  }

  get uploadAccounts(): Records<AccountSums> {
    this.#assertOpen();
    return this.#uploadAccounts;
  }

  partition(table: Table, tenant: string | undefined): Partition {
    this.#assertOpen();
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
    if (this.#readOnly) throw new Error("The transaction is read-only: it cannot write.");
    this.#below.assertWritable();
  }

  /** Puts all changes into the layer below, in one synchronous step. */
  commit(): void {
    for (const [table, tenants] of this.#overlays) {
      for (const [tenant, overlay] of tenants) overlay.applyTo(this.#below.partition(table, tenant));
    }
    this.#records.applyTo(this.#below.records);
    this.#jobs.applyTo(this.#below.jobs);
    this.#webhooks.applyTo(this.#below.webhooks);
    this.#generations.applyTo(this.#below.generations);
    this.#events.applyTo(this.#below.events);
    this.#deliveries.applyTo(this.#below.deliveries);
    this.#uploads.applyTo(this.#below.uploads);
    this.#uploadAccounts.applyTo(this.#below.uploadAccounts);
  }

  end(): void {
    this.#open = false;
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error("The transaction has ended: its storage cannot be used any more.");
  }
}
