import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RateLimitStore, RateLimitTake, RateLimitTaken } from "../../ground/storage/rateLimits.js";

/** The store under test. */
export interface RateLimitSubject {
  readonly store: RateLimitStore;
  /** Advances the clock of the store, if possible; otherwise the cases wait. */
  advance?(ms: number): Promise<void> | void;
}

/** The fixture of all scenarios: one store, and keys that no other scenario uses. */
export class RateLimitStage {
  readonly store: RateLimitStore;
  readonly advance: (ms: number) => Promise<void>;

  private constructor({ store, advance }: RateLimitSubject) {
    this.store = store;
    this.advance = async (ms) => (advance === undefined ? sleep(ms) : advance(ms));
  }

  static async open(open: () => Promise<RateLimitSubject>): Promise<RateLimitStage> {
    const stage = new RateLimitStage(await open());
    await stage.store.migrate?.();
    return stage;
  }

  key(): string {
    return randomUUID();
  }

  /** Takes from a limit of 5 in a minute, with the changes of a scenario. */
  async take(key: string, change: Partial<RateLimitTake> = {}): Promise<RateLimitTaken> {
    return this.store.take(key, { name: "contract", limit: 5, windowMs: 60_000, cost: 1, algorithm: "fixed-window", ...change });
  }
}
