import { requireOutside } from "../../../src/ground/storage/insideTransaction.js";

/** Runs transactions and writes one after the other, in the order of their arrival. */
export class WriteQueue {
  #last: Promise<void> | undefined;
  /** The transactions that run or wait. */
  transactions = 0;

  /** Whether a transaction or write runs or waits. If not, a synchronous write may run at once. */
  get isBusy(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Runs `work` when all earlier writes have ended.
   *
   * @throws {ConfigurationError} if the caller runs within the transaction that is open: each would wait for the other
   */
  run<R>(work: () => R | Promise<R>): Promise<R> {
    requireOutside(this);
    const turn = (this.#last ?? Promise.resolve()).then(work);
    const ended: Promise<void> = turn.then(nothing, nothing).then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    this.#last = ended;
    return turn;
  }

  /** The same for a transaction. */
  async transaction<R>(work: () => Promise<R>): Promise<R> {
    this.transactions += 1;
    try {
      return await this.run(work);
    } finally {
      this.transactions -= 1;
    }
  }
}

function nothing(): void {}
