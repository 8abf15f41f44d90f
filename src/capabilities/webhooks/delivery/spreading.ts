import { setImmediate } from "node:timers";
import type { Logger } from "../../../engine/operation/logging/logger.js";
import type { Random } from "../../../engine/operation/random.js";
import { PollLoop } from "../../../engine/operation/work/pollLoop.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import type { Timers } from "../../../ground/http/timers.js";
import type { DeliveryStore, SpreadDeliveries } from "../../../ground/storage/queue/deliveries.js";

/** Deliveries that one step makes: a write of a client waits for one step at most. */
const stepDeliveries = 100;

interface SpreadingOptions {
  readonly deliveries: DeliveryStore;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Interval of looking for events whose process died before it had made their deliveries, in milliseconds. */
  readonly everyMs: () => number;
  /** Called when there are new deliveries. */
  made(): void;
}

/** Makes the deliveries of events that wait for them, in turns of tenants. Several processes on one storage share the work. */
export class Spreading {
  readonly #options: SpreadingOptions;
  readonly #loop: PollLoop;
  #isStarted = false;
  #isClosed = false;
  #last: SpreadDeliveries | undefined;

  constructor(options: SpreadingOptions) {
    this.#options = options;
    this.#loop = new PollLoop({
      ...options,
      run: () => this.#spread(),
      failure: "Making the deliveries of events failed; the next poll retries.",
    });
  }

  start(): void {
    if (this.#isStarted || this.#options.deliveries.spread === undefined) return;
    this.#isStarted = true;
    this.#loop.now();
  }

  /** Looks at once, because events may have been written. */
  wake(): void {
    if (this.#isStarted) this.#loop.now();
  }

  /** Ends after the step that runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#loop.stop();
    await this.#loop.idle();
  }

  async #spread(): Promise<void> {
    const { deliveries, made } = this.#options;
    while (!this.#isClosed) {
      const step = await retrying(async () => deliveries.spread?.({ max: stepDeliveries, after: this.#last }), this.#options);
      if (step === undefined) return;
      this.#last = step;
      if (step.made > 0) made();
      await nextTurn();
    }
  }
}

/** Lets those who wait for the event loop, and their writes, go first. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
