import type { Clock } from "../../../ground/clock/clock.js";
import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";

/** What a heartbeat does, and how often. */
export interface HeartbeatOptions {
  readonly everyMs: number;
  readonly timers: Timers;
  readonly clock: Clock;
  /** Must not reject. */
  beat(): Promise<void>;
}

/** Calls `beat` periodically until it is stopped. The interval starts after the previous call ends. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: Timer | undefined;
  #dueMs = 0;
  #isStopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#beatIn(this.#options.everyMs);
  }

  /** Schedules the next beat in `ms` if it would come later. */
  within(ms: number): void {
    if (this.#timer !== undefined && this.#options.clock.now() + ms < this.#dueMs) this.#beatIn(ms);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #beatIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#dueMs = this.#options.clock.now() + ms;
    this.#timer = backgroundTimer(this.#options.timers, () => void this.#beat(), ms);
  }

  async #beat(): Promise<void> {
    this.#timer = undefined;
    await this.#options.beat();
    this.#beatIn(this.#options.everyMs);
  }
}
