import type { Timer, Timers } from "./timers.js";

const looksPerStall = 4;

/**
 * Calls `onStall` once, when nothing has moved for `stallMs` (at the latest after 1.25 times that).
 *
 * It looks four times in `stallMs` instead of arming a timer a chunk.
 */
export class StallWatch {
  #quietLooks = 0;
  #timer: Timer;
  #ended = false;
  readonly #look: () => void;

  constructor(timers: Timers, stallMs: number, onStall: () => void) {
    const arm = () => timers.setTimeout(this.#look, Math.ceil(stallMs / looksPerStall));
    this.#look = () => {
      this.#quietLooks += 1;
      if (this.#quietLooks < looksPerStall) this.#timer = arm();
      else onStall();
    };
    this.#timer = arm();
  }

  /** Something has moved. */
  progress(): void {
    // The look to come sees only a part of its interval quiet: it must not count.
    this.#quietLooks = -1;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.#timer.cancel();
  }
}
