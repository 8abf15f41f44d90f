import type { Logger } from "../../engine/operation/logging/logger.js";
import type { Random } from "../../engine/operation/random.js";
import { PollLoop } from "../../engine/operation/work/pollLoop.js";
import { retrying } from "../../engine/operation/work/retry.js";
import type { Timer, Timers } from "../../ground/http/timers.js";
import type { RegisteredSubscriber, SubscriberStore } from "../../ground/storage/queue/subscribers.js";
import { atMost, lastMs } from "./atMost.js";

interface RegistrationParts {
  readonly store: SubscriberStore;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
}

const touchMs = 3_600_000;
const unusedMs = 14 * 24 * 3_600_000;
const retryMs = 5_000;

/** Keeps the names of this process in the storage, so that every process enqueues events for them. Retires names that no process has. */
export class Registrations {
  readonly #parts: RegistrationParts;
  readonly #names = new Set<string>();
  /** Subscribers that are not in the storage yet. */
  readonly #waiting = new Map<RegisteredSubscriber, () => void>();
  readonly #touch: PollLoop;
  readonly #register: PollLoop;
  #retry: Timer | undefined;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
    this.#touch = new PollLoop({
      ...parts,
      run: () => this.#keep(),
      everyMs: touchMs,
      failure: "Noting which subscribers are in use failed; it is tried again within two hours.",
    });
    this.#register = new PollLoop({
      ...parts,
      run: () => this.#registerOrRetry(),
      everyMs: touchMs,
      failure: `Registering subscribers failed; it is tried again every ${retryMs / 1_000} s. Until then no events are enqueued for them.`,
    });
  }

  /** Adds a subscriber: to those of the start, or at once after it. @returns resolves when it is registered, before the start at once */
  add(subscriber: RegisteredSubscriber): Promise<void> {
    this.#names.add(subscriber.name);
    const registered = new Promise<void>((resolve) => void this.#waiting.set(subscriber, resolve));
    if (!this.#isStarted) return Promise.resolve();
    this.#register.now();
    return registered;
  }

  /** Registers all subscribers so far. @throws what the storage throws; it can be called again */
  async start(): Promise<void> {
    await this.#registerWaiting();
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    // Not now: after a long pause of all processes, the others need time to say which names they have.
    this.#touch.later();
    if (this.#waiting.size > 0) this.#register.now();
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.#retry?.cancel();
    for (const loop of [this.#touch, this.#register]) loop.stop();
    await atMost(lastMs, Promise.all([this.#touch.idle(), this.#register.idle()]), this.#parts.timers);
  }

  async #registerWaiting(): Promise<void> {
    const waiting = [...this.#waiting];
    if (waiting.length === 0) return;
    const { store } = this.#parts;
    await retrying(() => store.register(waiting.map(([{ name, patterns }]) => ({ name, patterns }))), this.#parts);
    for (const [subscriber, resolve] of waiting) {
      this.#waiting.delete(subscriber);
      resolve();
    }
  }

  async #registerOrRetry(): Promise<void> {
    try {
      await this.#registerWaiting();
    } catch (error) {
      this.#retry?.cancel();
      if (!this.#isStopped) this.#retry = this.#parts.timers.setTimeout(() => this.#register.now(), retryMs);
      throw error;
    }
  }

  async #keep(): Promise<void> {
    const { store } = this.#parts;
    if (this.#names.size > 0) await retrying(() => store.touch([...this.#names]), this.#parts);
    await this.retire();
  }

  /** Retires names that no process has any more. */
  async retire(): Promise<void> {
    const { store, logger } = this.#parts;
    for (const name of await retrying(() => store.retire(unusedMs), this.#parts)) {
      const text =
        "A subscriber is retired, because no process has had its name for 14 days: it gets no more events, and those that waited are canceled.";
      logger.warn({ subscriber: name }, text);
    }
  }
}
