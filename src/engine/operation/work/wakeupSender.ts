import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import type { Wakeups } from "../../../ground/storage/wakeups.js";

/** Topics of so many milliseconds are sent together. */
const gatherMs = 20;
/** How long an answer of the channel is waited for, in milliseconds. */
export const answerMs = 500;
/** How long a channel that did not answer is left alone, in milliseconds, unless it answers after all. */
const restMs = 30_000;

interface SenderParts {
  readonly wakeups: Pick<Wakeups, "send">;
  readonly timers: Timers;
  /** Called after each send, with the error if it failed. */
  ended(error: unknown): void;
}

/**
 * Gathers topics and sends them. One send runs at a time. While the channel does not answer, topics are dropped, so that nothing grows: polls find what it would have told.
 */
export class WakeupSender {
  readonly #parts: SenderParts;
  readonly #topics = new Set<string>();
  #gathering: Timer | undefined;
  #sending: Promise<void> | undefined;
  #isResting = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Sends topics within 20 ms. Never throws. */
  add(topics: Iterable<string>): void {
    if (this.#isResting) return;
    for (const topic of topics) this.#topics.add(topic);
    this.#sendSoon();
  }

  /** Sends what has been gathered. @returns resolves when it has been sent or given up: after 500 ms, or a second if another send runs */
  async flush(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  #sendSoon(): void {
    if (this.#topics.size > 0) this.#gathering ??= this.#parts.timers.setTimeout(() => void this.#send(), gatherMs);
  }

  #send(): Promise<void> {
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#sending ??= this.#sendGathered().finally(() => {
      this.#sending = undefined;
      this.#sendSoon();
    });
    return this.#sending;
  }

  async #sendGathered(): Promise<void> {
    const topics = [...this.#topics];
    this.#topics.clear();
    if (topics.length === 0) return;
    const { wakeups, timers, ended } = this.#parts;
    // A channel of the developer may throw.
    const sent = (async () => wakeups.send(topics))();
    const late = () => {
      this.#rest(sent);
      return new Error(`The channel did not answer within ${answerMs} ms.`);
    };
    ended(await errorOf(answered(sent, timers, late)));
  }

  #rest(sent: Promise<void>): void {
    this.#isResting = true;
    this.#topics.clear();
    const end = () => {
      timer.cancel();
      this.#isResting = false;
    };
    const timer = backgroundTimer(this.#parts.timers, end, restMs);
    sent.then(end, end);
  }
}

/** The answer of a channel. @throws what `late` makes after 500 ms */
export async function answered<T>(answer: Promise<T>, timers: Timers, late: () => Error): Promise<T> {
  let timer: Timer | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = timers.setTimeout(() => reject(late()), answerMs);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    timer?.cancel();
  }
}

async function errorOf(sent: Promise<void>): Promise<unknown> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    return error ?? new Error("The channel rejected a message without an error.");
  }
}
