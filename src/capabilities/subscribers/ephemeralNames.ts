import type { Logger } from "../../engine/operation/logging/logger.js";
import type { Random } from "../../engine/operation/random.js";
import { PollLoop } from "../../engine/operation/work/pollLoop.js";
import { retrying } from "../../engine/operation/work/retry.js";
import type { Timers } from "../../ground/http/timers.js";
import type { SubscriberStore } from "../../ground/storage/queue/subscribers.js";
import { atMost, lastMs } from "./atMost.js";
import type { Subscriber } from "./subscriber.js";

interface EphemeralParts {
  readonly store: SubscriberStore;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Retires names that no process has any more. */
  retire(): Promise<void>;
}

/** How often a process says that it still is there, in milliseconds. */
const stayMs = 60_000;
/** How long its names stay without that. */
const lifeMs = 180_000;

/** Keeps the subscribers of this process alone in the storage, and takes them out when it ends. Those of a process that died run out. */
export class EphemeralNames {
  readonly #parts: EphemeralParts;
  readonly #subscribers = new Map<string, Subscriber>();
  /** Those that were in the storage. */
  readonly #known = new Set<string>();
  readonly #stay: PollLoop;
  #waiting: (() => void)[] = [];
  #isStarted = false;

  constructor(parts: EphemeralParts) {
    this.#parts = parts;
    this.#stay = new PollLoop({
      ...parts,
      run: () => this.#register(true),
      everyMs: stayMs,
      failure: "Noting the subscribers of this process failed; it is tried again within seconds.",
    });
  }

  /** Adds a subscriber: to those of the start, or at once after it. @returns resolves when it is registered, before the start at once */
  add(subscriber: Subscriber): Promise<void> {
    this.#subscribers.set(subscriber.name, subscriber);
    if (!this.#isStarted) return Promise.resolve();
    const registered = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#stay.now();
    return registered;
  }

  /** Registers all subscribers so far. @throws what the storage throws; it can be called again */
  async start(): Promise<void> {
    await this.#register(false);
    this.#isStarted = true;
    // Some may have been added meanwhile.
    if (this.#known.size < this.#subscribers.size) this.#stay.now();
    else if (this.#known.size > 0) this.#stay.later();
  }

  async close(): Promise<void> {
    this.#stay.stop();
    const { store, timers, logger } = this.#parts;
    const leave = async () => {
      await this.#stay.idle();
      if (this.#known.size > 0) await retrying(async () => store.unregisterEphemeral?.([...this.#known]), this.#parts);
    };
    const left = leave().catch((error: unknown) => {
      logger.warn({ err: error }, "The subscribers of this process could not be taken out of the storage; they run out within minutes.");
    });
    await atMost(lastMs, left, timers);
  }

  async #register(retires: boolean): Promise<void> {
    const { store, retire } = this.#parts;
    const subscribers = [...this.#subscribers.values()];
    if (subscribers.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const given = subscribers.map(({ name, patterns }) => ({ name, patterns }));
      const others = await retrying(async () => (await store.registerEphemeral?.(given, lifeMs)) ?? [], this.#parts);
      // Not awaited: a function that never ends must not keep the process from saying that it is there.
      for (const name of others) if (this.#known.has(name)) void this.#noteMissed(name);
      for (const { name } of subscribers) this.#known.add(name);
    } catch (error) {
      this.#waiting.push(...waiting);
      throw error;
    }
    for (const resolve of waiting) resolve();
    if (retires) await retire();
  }

  /** The storage had retired the name: this process could not say that it is there. */
  async #noteMissed(name: string): Promise<void> {
    const { logger } = this.#parts;
    logger.warn({ subscriber: name }, "This process may have missed events, because it could not reach the storage for minutes.");
    try {
      await this.#subscribers.get(name)?.onMissed?.();
    } catch (error) {
      logger.error({ err: error, subscriber: name }, '"onMissed" of a subscriber failed.');
    }
  }
}
