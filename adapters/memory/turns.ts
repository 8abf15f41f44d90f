/** Lets transactions and writes in one after the other, in the order in which they came. */
export class Turns {
  #last: Promise<void> | undefined;

  /** Whether a turn is taken. While none is, a synchronous write needs no turn. */
  get taken(): boolean {
    return this.#last !== undefined;
  }

  /** Runs `work` when all earlier turns have ended. */
  run<R>(work: () => R | Promise<R>): Promise<R> {
    const turn = (this.#last ?? Promise.resolve()).then(work);
    const ended: Promise<void> = turn.then(nothing, nothing).then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    this.#last = ended;
    return turn;
  }
}

function nothing(): void {}
