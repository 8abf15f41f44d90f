import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { awayMs } from "../../../ground/storage/storedLater.js";
import type { Logger } from "../logging/logger.js";
import type { Random } from "../random.js";

/** A function to run periodically, and its interval. */
export interface PollLoopOptions {
  run(): Promise<void>;
  /** Time between two runs, in milliseconds, varied by up to 25 %, so that many processes do not run at the same time. */
  readonly everyMs: number | (() => number);
  /** Whether the time is not varied, so that loops of one process that wait for the same answer run together from then on. */
  readonly isExact?: boolean | undefined;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Logged once when runs begin to fail. */
  readonly failure: string;
}

/**
 * Runs a function periodically and on request, never concurrently. After a failure it runs again soon, as the store may be back. A failure is logged once; it is logged again only after a
 * run has succeeded.
 */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #failures = 0;
  #isStopped = false;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** Runs at once, or once more after the current run ends. */
  now(): void {
    if (this.#isStopped) return;
    this.#isWanted = true;
    this.#running ??= this.#runWhileWanted();
  }

  /** Schedules a run after the interval. */
  later(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    const { timers, random, everyMs, isExact = false } = this.#options;
    const usualMs = (typeof everyMs === "number" ? everyMs : everyMs()) * (isExact ? 1 : 0.75 + random() / 2);
    const pauseMs = this.#failures === 0 ? usualMs : Math.min(usualMs, awayMs(this.#failures - 1, random));
    this.#timer = backgroundTimer(timers, () => this.now(), pauseMs);
  }

  /** Stops: no new run begins. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when no run is in progress. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runWhileWanted(): Promise<void> {
    this.#timer?.cancel();
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#runOnce();
      // A run without I/O would otherwise block the event loop for as long as there is work.
      await yieldToEventLoop();
    }
    this.#running = undefined;
    this.later();
  }

  async #runOnce(): Promise<void> {
    try {
      await this.#options.run();
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0 && !this.#isStopped) this.#options.logger.error({ err: error }, this.#options.failure);
      this.#failures += 1;
    }
  }
}
