import { backgroundTimer, type Timer, type Timers } from "../../ground/http/timers.js";
import type { EventReceiver } from "./receiver.js";

const everyMs = 5_000;
const wakes = 12;

interface OwnTransactionParts {
  readonly receivers: readonly Pick<EventReceiver, "wake">[];
  readonly timers: Timers;
}

/** Events that the developer emits in a transaction of his own: nothing tells when it commits, so receivers are woken every 5 s for a minute. */
export class OwnTransactions {
  readonly #parts: OwnTransactionParts;
  #timer: Timer | undefined;
  #left = 0;

  constructor(parts: OwnTransactionParts) {
    this.#parts = parts;
  }

  /** Called when an event was emitted in such a transaction. */
  emitted(): void {
    this.#left = wakes;
    this.#timer ??= this.#later();
  }

  close(): void {
    this.#timer?.cancel();
    this.#left = 0;
  }

  #later(): Timer {
    const { receivers, timers } = this.#parts;
    const wake = () => {
      this.#left -= 1;
      for (const receiver of receivers) receiver.wake();
      this.#timer = this.#left > 0 ? this.#later() : undefined;
    };
    return backgroundTimer(timers, wake, everyMs);
  }
}
