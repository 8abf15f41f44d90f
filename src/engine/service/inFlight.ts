import type { Timers } from "../../ground/http/timers.js";

/** Counts the running requests, so that closing can wait for them. */
export class InFlight {
  #count = 0;
  #closing = false;
  #idle: (() => void) | undefined;
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get closing(): boolean {
    return this.#closing;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#idle?.();
  }

  /** Resolves when no request is running, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#closing = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.#timers.setTimeout(resolve, graceMs);
      this.#idle = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
