import type { Logger } from "../../engine/operation/logging/logger.js";
import type { Clock } from "../../ground/clock/clock.js";
import type { Timers } from "../../ground/http/timers.js";
import type { RateLimitStore, RateLimitTake, RateLimitTaken } from "../../ground/storage/rateLimits.js";
import type { MemoryRateLimits } from "./memory.js";

/** How long a store that failed is left alone, so that requests do not wait for it one after the other. */
const pauseMs = 1_000;
/** How long creating tables may take. */
const migrateMs = 10_000;

/** What the store of a service uses. */
export interface GuardParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** How long a request waits for the store. */
  readonly timeoutMs: number;
  /** Counts in this process what the store does not; it may be the store itself. */
  readonly own: MemoryRateLimits;
}

/**
 * A store that may be away: while it does not answer, this process counts by itself, so that it never allows more than the limit. The log has one line when that begins, and one
 * when it ends.
 *
 * What the store allows is counted here too: of a burst some requests are answered by the store, and others too late.
 */
export class GuardedStore {
  readonly #store: RateLimitStore;
  readonly #parts: GuardParts;
  #migrated: Promise<void> | undefined;
  #isReady: boolean;
  #isDown = false;
  #retryMs = 0;
  /** When this process last counted by itself. */
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(store: RateLimitStore, parts: GuardParts) {
    this.#store = store;
    this.#parts = parts;
    this.#isReady = store.migrate === undefined;
  }

  /** Creates what the store needs. */
  async prepare(): Promise<void> {
    if (this.#isReady) return;
    this.#migrated ??= this.#inTime(Promise.resolve(this.#store.migrate?.()), migrateMs);
    try {
      await this.#migrated;
      this.#isReady = true;
    } catch (error) {
      this.#migrated = undefined;
      throw error;
    }
  }

  take(key: string, take: RateLimitTake): RateLimitTaken | Promise<RateLimitTaken> {
    if (this.#isDown) {
      const nowMs = this.#parts.clock.now();
      // A clock that was set back must not prolong the pause.
      if (nowMs < this.#retryMs && nowMs >= this.#retryMs - pauseMs) return this.#countHere(key, take);
      // One request tries; the others do not wait for it.
      this.#retryMs = nowMs + pauseMs;
    }
    try {
      const taken = this.#isReady ? this.#store.take(key, take) : this.prepare().then(() => this.#store.take(key, take));
      if (!(taken instanceof Promise)) return this.#answered(key, take, taken);
      return this.#inTime(taken, this.#isReady ? this.#parts.timeoutMs : migrateMs).then(
        (result) => this.#answered(key, take, result),
        (error: unknown) => this.#failed(key, take, error),
      );
    } catch (error) {
      return this.#failed(key, take, error);
    }
  }

  #answered(key: string, take: RateLimitTake, taken: RateLimitTaken): RateLimitTaken {
    const { clock, logger, own } = this.#parts;
    if (this.#isDown) {
      this.#isDown = false;
      logger.info({}, "The store of rate limits answers again.");
    }
    if (own === this.#store || !taken.allowed) return taken;
    const here = own.take(key, take);
    // Where this process has allowed requests that the store does not know of, its own count decides.
    return clock.now() - this.#countedMs < take.windowMs && !here.allowed ? here : taken;
  }

  #failed(key: string, take: RateLimitTake, error: unknown): RateLimitTaken {
    const { clock, logger } = this.#parts;
    if (!this.#isDown) logger.error({ err: error }, "The store of rate limits failed; each process counts by itself until it answers again.");
    this.#isDown = true;
    this.#retryMs = clock.now() + pauseMs;
    return this.#countHere(key, take);
  }

  #countHere(key: string, take: RateLimitTake): RateLimitTaken {
    this.#countedMs = this.#parts.clock.now();
    return this.#parts.own.take(key, take);
  }

  /** Rejects after `ms`, because clients of databases queue commands while there is no connection. */
  #inTime<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#parts.timers.setTimeout(() => reject(new Error(`The store of rate limits did not answer within ${ms} ms.`)), ms);
      work.then(
        (result) => {
          timer.cancel();
          resolve(result);
        },
        (error: unknown) => {
          timer.cancel();
          reject(error);
        },
      );
    });
  }
}
