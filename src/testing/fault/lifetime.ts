import { oneOf, optionsCheck, strict, whole } from "../../ground/options/index.js";

/** The simulated process died: its later calls do not reach the store. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

export interface FaultOptions {
  /** The number of the call that dies; the first call is 1. Default: no call dies, and calls are only counted. */
  readonly dieAfter?: number | undefined;
  /** `before` (default): the call does not reach the store; `after`: the store executes it, but its result is lost. */
  readonly how?: "before" | "after" | undefined;
}

const check = /* @__PURE__ */ optionsCheck("faultyStorage", () => strict<FaultOptions>({ dieAfter: whole(1), how: oneOf("before", "after") }));

/** Counts the calls of a simulated process and ends it at one of them. */
export class Lifetime {
  readonly #dieAfter: number;
  readonly #how: "before" | "after";
  #calls = 0;
  #death: string | undefined;

  constructor(options: FaultOptions) {
    check(options);
    const { dieAfter = Number.POSITIVE_INFINITY, how = "before" } = options;
    this.#dieAfter = dieAfter;
    this.#how = how;
  }

  /** The number of calls so far, including the one that died. */
  get calls(): number {
    return this.#calls;
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  /**
   * Runs one call, if the process is alive before and after it.
   *
   * @throws {ProcessDied}
   */
  async call<R>(name: string, run: () => Promise<R>): Promise<R> {
    this.count(name);
    const result = await run();
    this.assertAlive();
    return result;
  }

  /** Counts a call before it reaches the store. After the call, use `assertAlive`. @throws {ProcessDied} */
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
