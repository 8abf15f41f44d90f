import type { Timer, Timers } from "../http/timers.js";
import type { Logger } from "./logger.js";
import type { Random } from "./random.js";

/** Something that is done now and then. */
export interface RecurringOptions {
  run(): Promise<void>;
  /** Time between two runs, give or take a quarter, so that many processes spread out. */
  readonly everyMs: number;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Said once when runs begin to fail. */
  readonly failing: string;
}

/** Runs at once when told to and now and then by itself, never twice at a time; a failure is logged once, until a run succeeds again. */
export class Recurring {
  readonly #options: RecurringOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isFailing = false;
  #isStopped = false;

  constructor(options: RecurringOptions) {
    this.#options = options;
  }

  /** Runs at once; while a run is under way, once more after it. */
  now(): void {
    if (this.#isStopped) return;
    this.#isWanted = true;
    this.#running ??= this.#runWhileWanted();
  }

  /** Runs after the usual time. */
  later(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    const { timers, random, everyMs } = this.#options;
    this.#timer = timers.setTimeout(() => this.now(), everyMs * (0.75 + random() / 2));
  }

  /** Begins no more runs. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Resolves when no run is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runWhileWanted(): Promise<void> {
    this.#timer?.cancel();
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#runOnce();
    }
    this.#running = undefined;
    this.later();
  }

  async #runOnce(): Promise<void> {
    try {
      await this.#options.run();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) this.#options.logger.error({ err: error }, this.#options.failing);
      this.#isFailing = true;
    }
  }
}
