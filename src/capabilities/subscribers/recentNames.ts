import type { Clock } from "../../ground/clock/clock.js";

/** Longer transactions leave their events to the next poll. */
const recentMs = 60_000;

/**
 * The subscribers for whom this process enqueued something lately. A commit wakes all of them, because it does not know which of the names were enqueued in its own
 * transaction.
 */
export class RecentNames {
  readonly #clock: Clock;
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(names: Iterable<string>): void {
    const now = this.#clock.now();
    for (const name of names) this.#times.set(name, now);
  }

  all(): readonly string[] {
    const since = this.#clock.now() - recentMs;
    for (const [name, time] of this.#times) if (time < since) this.#times.delete(name);
    return [...this.#times.keys()];
  }
}
