/** The process that made a call is gone: nothing it does any more reaches the store or anybody. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

export interface FaultOptions {
  /** Which call dies, the first being 1. Without it none does, and the calls are counted only. */
  readonly dieAfter?: number | undefined;
  /** `before`: the call does not reach the store. `after`: the store carries it out, and nobody hears of it. */
  readonly how?: "before" | "after" | undefined;
}

/** Counts the calls of a process and ends it at one of them. */
export class Lifetime {
  readonly #dieAfter: number;
  readonly #how: "before" | "after";
  #calls = 0;
  #death: string | undefined;

  constructor({ dieAfter = Number.POSITIVE_INFINITY, how = "before" }: FaultOptions) {
    if (!(dieAfter >= 1)) throw new RangeError(`Cannot die at call ${dieAfter}: the first call is 1.`);
    this.#dieAfter = dieAfter;
    this.#how = how;
  }

  /** Calls that were begun, the one that died included. */
  get calls(): number {
    return this.#calls;
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  /**
   * Runs one call, if the process lives and outlives it.
   *
   * @throws {ProcessDied}
   */
  async call<R>(name: string, run: () => Promise<R>): Promise<R> {
    this.count(name);
    const result = await run();
    this.assertAlive();
    return result;
  }

  /** Counts a call that is about to reach the store. After it, ask `assertAlive`. @throws {ProcessDied} */
  count(name: string): void {
    this.assertAlive();
    this.#calls += 1;
    if (this.#calls < this.#dieAfter) return;
    this.#death = `The process died ${this.#how} its call ${this.#calls}, ${name}.`;
    if (this.#how === "before") this.assertAlive();
  }

  /** @throws {ProcessDied} */
  assertAlive(): void {
    if (this.#death !== undefined) throw new ProcessDied(this.#death);
  }
}
