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
} from "../../storage/deliveries.js";
import type { Storage } from "../../storage/storage.js";
import type { NewWebhook, Webhook, WebhookStore } from "../../storage/webhooks.js";
import { type Items, Stage } from "../storage/stage.js";

/** A storage whose webhooks and deliveries are to be checked. */
export interface WebhookSubject {
  readonly storage: Storage;
  /** Moves the store's clock on, where that is possible; otherwise the checks wait. */
  advance?(ms: number): Promise<void> | void;
}

/** What a store must have for a scenario to make sense. */
export interface WebhookNeeds {
  readonly transactions?: true | undefined;
}

/** One promise of the contract and how to check it. */
export interface WebhookScenario {
  readonly name: string;
  readonly needs?: WebhookNeeds | undefined;
  run(stage: WebhookStage): Promise<void>;
}

/** Why the store is let off a scenario; `undefined` where it is not. */
export function skipReason(needs: WebhookNeeds, { storage }: WebhookStage): string | undefined {
  return needs.transactions && storage.transaction === undefined ? `${storage.name} has no transaction()` : undefined;
}

/** Where scenarios play, one after the other: each begins with nothing that could be claimed. */
export class WebhookStage {
  readonly storage: Storage;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  /** Moves the store's clock on by so many milliseconds. */
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

  /** Runs a scenario when those before it have ended, without their webhooks. */
  alone(run: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(async () => {
      for (const id of this.#made) await this.webhooks.remove(id);
      this.#made.clear();
      await run();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** An id or a tenant that nobody else uses; later ones sort behind. */
  name(): string {
    this.#names += 1;
    return `${String(this.#names).padStart(8, "0")}-${randomUUID()}`;
  }

  /** A webhook as somebody would register one, but for what a scenario is about. */
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

  /** Registers a webhook that was not there. */
  async register(change: Partial<NewWebhook> = {}): Promise<Webhook> {
    const webhook = this.webhook(change);
    assert.equal(await this.webhooks.create(webhook), true);
    return this.found(webhook.id);
  }

  /** A webhook that there has to be. */
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

  /** Events for one webhook, a delivery each; the ids of the deliveries. */
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

  /** A delivery to a new webhook that somebody has claimed. */
  async sending(leaseMs = 60_000, change: Partial<NewWebhook> = {}): Promise<ClaimedDelivery> {
    const { id } = await this.register(change);
    await this.enqueue(id);
    return this.claimOne({ leaseMs });
  }

  /** Records an outcome that has to be accepted. */
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

/** An attempt at which the receiver answered. */
export function attempt(change: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return { startedAt: new Date(1_700_000_001_000), latencyMs: 42, status: 200, body: Buffer.from("ok"), ...change };
}

/** A success, but for what a scenario is about. */
export function outcome(change: Partial<DeliveryOutcome> = {}): DeliveryOutcome {
  return { attempt: attempt(), next: { state: "succeeded" }, failures: "reset", ...change };
}

/** A failure that is tried again at once. */
export const failure: Partial<DeliveryOutcome> = { attempt: attempt({ status: 500 }), next: { state: "pending", delayMs: 0 }, failures: "add" };

export function webhooksOf(storage: Storage): WebhookStore {
  assert.ok(storage.webhooks !== undefined, `${storage.name} has no store of webhooks`);
  return storage.webhooks;
}

export function deliveriesOf(storage: Storage): DeliveryStore {
  assert.ok(storage.deliveries !== undefined, `${storage.name} has no store of deliveries`);
  return storage.deliveries;
}

/** The first of a list that has to have one. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  assert.ok(first !== undefined, "there is none");
  return first;
}
