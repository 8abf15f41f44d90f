/** Statements that are under way at the same time. */
const maxSent = 2;
/** After so many milliseconds a statement keeps others no longer from being sent: it may wait on a broken connection, or for a lock. */
const patienceMs = 50;

/** How what waits in a {@link Gathering} is sent. */
export interface Gatherer<Ask> {
  /** Which of those that wait go next, and which stay, in their order. */
  take(waiting: readonly Ask[]): { readonly taken: readonly Ask[]; readonly left: Ask[] };
  /** Sends them, with one statement if they are several, and settles each of them. Never rejects. */
  send(asks: readonly Ask[]): Promise<void>;
  /** Called when nothing waits or is under way any more. */
  end(): void;
}

/** A statement under way. */
interface Sent {
  readonly atMs: number;
}

/**
 * Sends what waits at the same time together: what finds nothing under way goes at once, and the rest waits for the end of the turn of the event loop, or of a statement. So no request
 * waits for others that may come, and the busier the database, the more go with one statement.
 */
export class Gathering<Ask> {
  readonly #gatherer: Gatherer<Ask>;
  readonly #sent = new Set<Sent>();
  #waiting: Ask[] = [];
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(gatherer: Gatherer<Ask>) {
    this.#gatherer = gatherer;
  }

  /** Whether nothing is under way, so that the next may go at once. */
  get isIdle(): boolean {
    return this.#sent.size === 0 && this.#waiting.length === 0;
  }

  /** Runs what found the gathering idle. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const sent = this.#begin();
    try {
      return await work();
    } finally {
      this.#end(sent);
    }
  }

  /** Sends it with the next statement that has room for it. */
  join(ask: Ask): void {
    this.#waiting.push(ask);
    this.#sendSoon();
  }

  #begin(): Sent {
    const sent = { atMs: performance.now() };
    this.#sent.add(sent);
    return sent;
  }

  #end(sent: Sent): void {
    // One that took too long counts no more: others may have come and gone since.
    if (!this.#sent.delete(sent)) return;
    if (this.#waiting.length > 0) this.#sendSoon();
    else if (this.#sent.size === 0 && !this.#isDue) this.#gatherer.end();
  }

  #sendSoon(): void {
    if (this.#isDue) return;
    if (this.#sent.size >= maxSent) {
      this.#timer ??= setTimeout(this.#look, patienceMs);
      return;
    }
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#send();
    });
  }

  /** Not set anew with each statement: that would cost as much as a tenth of it. */
  readonly #look = (): void => {
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const now = performance.now();
    for (const sent of this.#sent) if (now - sent.atMs >= patienceMs) this.#sent.delete(sent);
    this.#sendSoon();
  };

  #send(): void {
    const { taken, left } = this.#gatherer.take(this.#waiting);
    this.#waiting = left;
    const sent = this.#begin();
    void this.#gatherer.send(taken).then(() => this.#end(sent));
    if (left.length > 0) this.#sendSoon();
  }
}
