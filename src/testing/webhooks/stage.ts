import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryOutcome,
  DeliveryStore,
  NewEvent,
  RecordedDelivery,
} from "../../ground/storage/queue/deliveries.js";
import type { NewWebhook, Webhook, WebhookStore } from "../../ground/storage/queue/webhooks.js";
import type { Storage } from "../../ground/storage/storage.js";
import { type Items, Stage } from "../storage/stage.js";

/** The storage under test. */
export interface WebhookSubject {
  readonly storage: Storage;
  /** Advances the clock of the store, if possible; otherwise the cases wait. */
  advance?(ms: number): Promise<void> | void;
}

/** What a scenario needs from a store. */
export interface WebhookNeeds {
  readonly transactions?: true | undefined;
  /** Events that wait for their deliveries. */
  readonly spread?: true | undefined;
  /** Claims whose answer was lost. */
  readonly unclaim?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface WebhookScenario {
  readonly name: string;
  readonly needs?: WebhookNeeds | undefined;
  run(stage: WebhookStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: WebhookNeeds, { storage, deliveries }: WebhookStage): string | undefined {
  if (needs.unclaim && deliveries.unclaim === undefined) return `${storage.name} has no unclaim()`;
  if (needs.spread && deliveries.spread === undefined) return `${storage.name} has no spread()`;
  return needs.transactions && storage.transaction === undefined ? `${storage.name} has no transaction()` : undefined;
}

/** The fixture of all scenarios, which run one after the other. Each begins without claimable deliveries. */
export class WebhookStage {
  readonly storage: Storage;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  /** Advances the clock of the store by `ms` milliseconds. */
  readonly advance: (ms: number) => Promise<void>;
  readonly #rows: Stage;
  readonly #made = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  #names = 0;

  constructor(subject: WebhookSubject) {
    this.storage = subject.storage;
    this.webhooks = webhooksOf(subject.storage);
    this.deliveries = deliveriesOf(subject.storage);
    this.advance = async (ms) => (subject.advance === undefined ? sleep(ms) : subject.advance(ms));
    this.#rows = new Stage(subject.storage, undefined);
  }

  /** Runs a scenario after the previous ones, and without their webhooks. */
  alone(run: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(async () => {
      for (const id of this.#made) await this.webhooks.remove(id);
      this.#made.clear();
      await run();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** A unique id or tenant; later ones sort after earlier ones. */
  name(): string {
    this.#names += 1;
    return `${String(this.#names).padStart(8, "0")}-${randomUUID()}`;
  }

  /** A typical new webhook with the changes of a scenario. */
  webhook(change: Partial<NewWebhook> = {}): NewWebhook {
    const id = change.id ?? this.name();
    this.#made.add(id);
    return {
      id,
      tenant: this.name(),
      owner: "ada",
      url: "https://example.com/hook",
      events: ["order.*"],
      secret: "sealed",
      secretHint: "…a1b2",
      ...change,
    };
  }

  /** Registers a new webhook. */
  async register(change: Partial<NewWebhook> = {}): Promise<Webhook> {
    const webhook = this.webhook(change);
    assert.equal(await this.webhooks.create(webhook), true);
    return this.found(webhook.id);
  }

  /** An existing webhook. */
  async found(id: string): Promise<Webhook> {
    const webhook = await this.webhooks.get(id);
    assert.ok(webhook !== undefined, "the webhook is gone");
    return webhook;
  }

  /** An event for some webhooks. */
  eventFor(webhooks: readonly string[], change: Partial<NewEvent> = {}): NewEvent {
    const event = { id: this.name(), type: "order.created", tenant: undefined, createdAt: new Date(1_700_000_000_123), body: Buffer.from("{}") };
    return { ...event, deliveries: webhooks.map((webhook) => ({ id: this.name(), webhook })), ...change };
  }

  /** Enqueues events for one webhook. @returns the ids of their deliveries */
  async enqueue(webhook: string, count = 1): Promise<readonly string[]> {
    const made = await this.deliveries.enqueue(Array.from({ length: count }, () => this.eventFor([webhook])));
    assert.equal(made.length, count);
    return made;
  }

  claim(change: Partial<DeliveryClaim> = {}, store = this.deliveries): Promise<readonly ClaimedDelivery[]> {
    return store.claim({ leaseMs: 60_000, max: 100, maxPerWebhook: 100, ...change });
  }

  /** Claims the only delivery that is due. */
  async claimOne(change: Partial<DeliveryClaim> = {}): Promise<ClaimedDelivery> {
    const claimed = await this.claim(change);
    assert.equal(claimed.length, 1, `${claimed.length} deliveries were claimed`);
    return only(claimed);
  }

  /** A claimed delivery to a new webhook. */
  async sending(leaseMs = 60_000, change: Partial<NewWebhook> = {}, claim: Partial<DeliveryClaim> = {}): Promise<ClaimedDelivery> {
    const { id } = await this.register(change);
    await this.enqueue(id);
    return this.claimOne({ leaseMs, ...claim });
  }

  /** Records an outcome; fails if the store does not accept it. */
  async record(claimed: ClaimedDelivery, change: Partial<DeliveryOutcome>): Promise<RecordedDelivery> {
    const recorded = await this.deliveries.record(claimed.lease, outcome(change));
    assert.ok(recorded !== undefined, "the lease was lost");
    return recorded;
  }

  /** The state of a delivery. */
  async state(id: string): Promise<string | undefined> {
    return (await this.deliveries.get(id))?.state;
  }

  /** A new, empty collection beside the stores. */
  rows(): Promise<Items> {
    return this.#rows.open({ name: `hooks${randomUUID().slice(0, 8)}` });
  }

  transaction<R>(run: (tx: Storage) => Promise<R>): Promise<R> {
    return this.#rows.transaction(run);
  }
}

/** An attempt with a response of the receiver. */
export function attempt(change: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return { startedAt: new Date(1_700_000_001_000), latencyMs: 42, status: 200, body: Buffer.from("ok"), ...change };
}

/** A success with the changes of a scenario. */
export function outcome(change: Partial<DeliveryOutcome> = {}): DeliveryOutcome {
  return { attempt: attempt(), next: { state: "succeeded" }, failures: "reset", ...change };
}

/** A failure with an immediate retry. */
export const failure: Partial<DeliveryOutcome> = { attempt: attempt({ status: 500 }), next: { state: "pending", delayMs: 0 }, failures: "add" };

export function webhooksOf(storage: Storage): WebhookStore {
  assert.ok(storage.webhooks !== undefined, `${storage.name} has no store of webhooks`);
  return storage.webhooks;
}

export function deliveriesOf(storage: Storage): DeliveryStore {
  assert.ok(storage.deliveries !== undefined, `${storage.name} has no store of deliveries`);
  return storage.deliveries;
}

/** The first item of a list; fails if it is empty. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  assert.ok(first !== undefined, "there is none");
  return first;
}
