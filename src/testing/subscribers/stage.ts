import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedTask, NewSubscriberEvent, SubscriberStore, TaskClaim, TaskState } from "../../ground/storage/queue/subscribers.js";
import type { Storage } from "../../ground/storage/storage.js";
import { type Items, Stage } from "../storage/stage.js";

/** The storage under test. */
export interface SubscriberSubject {
  readonly storage: Storage;
  /** Advances the clock of the store, if possible; otherwise the cases wait. */
  advance?(ms: number): Promise<void> | void;
}

/** What a scenario needs from a store. */
export interface SubscriberNeeds {
  readonly transactions?: true | undefined;
  /** Claims whose answer was lost. */
  readonly unclaim?: true | undefined;
  /** Subscribers of one process. */
  readonly ephemeral?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface SubscriberScenario {
  readonly name: string;
  readonly needs?: SubscriberNeeds | undefined;
  run(stage: SubscriberStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: SubscriberNeeds, { storage, store }: SubscriberStage): string | undefined {
  if (needs.unclaim && store.unclaim === undefined) return `${storage.name} has no unclaim()`;
  if (needs.ephemeral && store.registerEphemeral === undefined) return `${storage.name} has no registerEphemeral()`;
  return needs.transactions && storage.transaction === undefined ? `${storage.name} has no transaction()` : undefined;
}

/** The fixture of all scenarios, which run one after the other, because retiring and sweeping concern all subscribers. */
export class SubscriberStage {
  readonly storage: Storage;
  readonly store: SubscriberStore;
  /** Advances the clock of the store by `ms` milliseconds. */
  readonly advance: (ms: number) => Promise<void>;
  readonly #rows: Stage;
  #last: Promise<void> = Promise.resolve();
  #names = 0;

  constructor(subject: SubscriberSubject) {
    this.storage = subject.storage;
    this.store = subscribersOf(subject.storage);
    this.advance = async (ms) => (subject.advance === undefined ? sleep(ms) : subject.advance(ms));
    this.#rows = new Stage(subject.storage, undefined);
  }

  /** Runs a scenario after the previous ones. */
  alone(run: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** A unique name, id or tenant; later ones sort after earlier ones. */
  name(): string {
    this.#names += 1;
    return `${String(this.#names).padStart(8, "0")}-${randomUUID()}`;
  }

  /** Registers a new subscriber. @returns its name */
  async register(patterns: readonly string[] = ["*"]): Promise<string> {
    const name = this.name();
    await this.store.register([{ name, patterns }]);
    return name;
  }

  /** An event with a task for each of some subscribers. */
  eventFor(names: readonly string[], change: Partial<NewSubscriberEvent> = {}): NewSubscriberEvent {
    const event = { id: this.name(), type: "order.created", tenant: undefined, createdAt: new Date(1_700_000_000_123), body: Buffer.from("{}") };
    return { ...event, tasks: names.map((name) => ({ id: this.name(), name })), ...change };
  }

  /** Enqueues events of a tenant for one subscriber. @returns the ids of their tasks */
  async enqueue(name: string, count = 1, change: Partial<NewSubscriberEvent> = {}): Promise<readonly string[]> {
    const events = Array.from({ length: count }, () => this.eventFor([name], change));
    assert.equal(await this.store.enqueue(events), count);
    return events.flatMap(({ tasks }) => tasks.map(({ id }) => id));
  }

  claim(name: string, change: Partial<TaskClaim> = {}, store = this.store): Promise<readonly ClaimedTask[]> {
    return store.claim({ name, leaseMs: 60_000, max: 50, ...change });
  }

  /** Claims the only task of a subscriber that is due. */
  async claimOne(name: string, change: Partial<TaskClaim> = {}): Promise<ClaimedTask> {
    const claimed = await this.claim(name, change);
    assert.equal(claimed.length, 1, `${claimed.length} tasks were claimed`);
    return only(claimed);
  }

  /** A claimed task of a new subscriber. */
  async running(leaseMs = 60_000): Promise<ClaimedTask> {
    const name = await this.register();
    await this.enqueue(name);
    return this.claimOne(name, { leaseMs });
  }

  /** The state of a task. */
  async state(id: string): Promise<TaskState | undefined> {
    return (await this.store.get(id))?.state;
  }

  /** Asserts how long it takes until a claim may find something. */
  async dueBetween(names: readonly string[], lowMs: number, highMs: number): Promise<void> {
    const dueIn = await this.store.dueInMs(names);
    assert.ok(dueIn !== undefined && dueIn >= lowMs && dueIn <= highMs, `due in ${dueIn} ms`);
  }

  /** A new, empty collection beside the stores. */
  rows(): Promise<Items> {
    return this.#rows.open({ name: `tasks${randomUUID().slice(0, 8)}` });
  }

  transaction<R>(run: (tx: Storage) => Promise<R>): Promise<R> {
    return this.#rows.transaction(run);
  }
}

/** A failure with an immediate retry. */
export const failure = { state: "pending", delayMs: 0, error: "no connection" } as const;
export const success = { state: "succeeded" } as const;

export function subscribersOf(storage: Storage): SubscriberStore {
  assert.ok(storage.subscribers !== undefined, `${storage.name} has no store of subscribers`);
  return storage.subscribers;
}

/** The first item of a list; fails if it is empty. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  assert.ok(first !== undefined, "there is none");
  return first;
}
