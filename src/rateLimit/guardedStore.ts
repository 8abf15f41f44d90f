import type { Timers } from "../http/timers.js";
import type { Clock } from "../operation/clock.js";
import type { Logger } from "../operation/logger.js";
import type { RateLimitStore, RateLimitTake, RateLimitTaken } from "../storage/rateLimits.js";

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
}

/**
 * A store that fails open: while it does not answer, requests are not counted. The log has one line when that begins, and one when it ends.
 */
export class GuardedStore {
  readonly #store: RateLimitStore;
  readonly #parts: GuardParts;
  #migrated: Promise<void> | undefined;
  #isReady: boolean;
  #isDown = false;
  #retryMs = 0;

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

  /** @returns `undefined` if the request could not be counted */
  take(key: string, take: RateLimitTake): RateLimitTaken | undefined | Promise<RateLimitTaken | undefined> {
    if (this.#isDown) {
      const nowMs = this.#parts.clock.now();
      // A clock that was set back must not prolong the pause.
      if (nowMs < this.#retryMs && nowMs >= this.#retryMs - pauseMs) return undefined;
      // One request tries; the others do not wait for it.
      this.#retryMs = nowMs + pauseMs;
    }
    try {
      const taken = this.#isReady ? this.#store.take(key, take) : this.prepare().then(() => this.#store.take(key, take));
      if (!(taken instanceof Promise)) return this.#answered(taken);
      return this.#inTime(taken, this.#isReady ? this.#parts.timeoutMs : migrateMs).then(
        (result) => this.#answered(result),
        (error: unknown) => this.#failed(error),
      );
    } catch (error) {
      return this.#failed(error);
    }
  }

  #answered(taken: RateLimitTaken): RateLimitTaken {
    if (this.#isDown) {
      this.#isDown = false;
      this.#parts.logger.info({}, "The store of rate limits answers again.");
    }
    return taken;
  }

  #failed(error: unknown): undefined {
    const { clock, logger } = this.#parts;
    if (!this.#isDown) logger.error({ err: error }, "The store of rate limits failed; requests are not limited until it answers again.");
    this.#isDown = true;
    this.#retryMs = clock.now() + pauseMs;
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
