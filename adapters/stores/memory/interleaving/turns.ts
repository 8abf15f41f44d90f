import { setImmediate } from "node:timers";
import { hasYielded } from "../../../../src/ground/http/yieldToEventLoop.js";
import { isLoading } from "../../../../src/ground/onDemand/loading.js";
import { Retryable } from "../../../../src/ground/storage/errors.js";

/** What a call may wait for: a transaction, which holds what it wrote, or one that is nested in the caller's. */
export interface Ending {
  readonly isOver: boolean;
}

/** A call that wants a turn. */
export interface TurnRequest {
  /** How the order names it: `tx 2: insert bookings b3`. */
  readonly label: string;
  /** The transaction that it belongs to. */
  readonly owner?: Ending | undefined;
  /** What must be over before it can have a turn. */
  waitsFor?(): readonly Ending[];
}

interface Waiting extends TurnRequest {
  readonly isPause?: true;
  grant(end: () => void): void;
  refuse(error: Retryable): void;
}

/** Turns of the event loop without a new call after which the program is at rest. Some code passes on by an immediate or two, such as bodies of requests. */
const restTurns = 4;

/** How often a pause may end before the calls that could have the turn: it takes as long as several of them. */
const pauseShare = 0.1;

/**
 * Gives the calls of a store their turns, one at a time, in an order that follows from a seed.
 *
 * A turn begins when everything else has come to rest, so that which calls wait then does not depend on the time that anything took: the last turn is over, its caller has
 * gone on as far as promises and immediates carry it, no long work has yielded to the event loop, and no part of the library is being loaded. What waits for a thread, a socket, a file or a timer of the system is
 * not seen: its call comes when it comes, and the order may differ.
 */
export class Turns {
  /** The calls that had a turn, the first one first. */
  readonly order: string[] = [];
  readonly #random: () => number;
  #waiting: Waiting[] = [];
  #requests = 0;
  #isRunning = false;
  #isStopped = false;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Whether no call runs or can run. */
  get isIdle(): boolean {
    return !this.#isRunning;
  }

  /** The calls that wait for a transaction. */
  get blocked(): readonly string[] {
    return this.#waiting.map(({ label }) => label);
  }

  /**
   * Runs a step when its turn has come. Nothing else of the store runs meanwhile.
   *
   * @throws {Retryable} if its transaction and others wait for each other
   */
  async take<R>(request: TurnRequest, step: () => R | Promise<R>): Promise<R> {
    const end = await new Promise<() => void>((grant, refuse) => this.#wait({ ...request, grant, refuse }));
    try {
      return await step();
    } finally {
      end();
    }
  }

  /** Runs a function when a turn has come, unless that is canceled before. */
  pause(run: () => void): { cancel(): void } {
    const waiting: Waiting = {
      label: "pause",
      isPause: true,
      grant(end) {
        run();
        end();
      },
      refuse() {},
    };
    this.#wait(waiting);
    return { cancel: () => this.#leave(waiting) };
  }

  /** Adds what came of it to the line of the turn that runs. */
  note(text: string): void {
    this.rename(`${this.order.at(-1)} ${text}`);
  }

  /** Names the turn that runs. */
  rename(label: string): void {
    this.order[this.order.length - 1] = label;
  }

  /** Gives no more turns: what waits then waits for ever. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  #wait(waiting: Waiting): void {
    if (this.#isStopped) return;
    this.#requests += 1;
    // By their names: which of several calls comes first may depend on how long something took.
    const after = this.#waiting.findIndex(({ label }) => label > waiting.label);
    this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, waiting);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#rest();
      const next = this.#pick(this.#ready());
      if (next !== undefined) {
        this.#leave(next);
        this.order.push(next.label);
        await new Promise<void>((end) => next.grant(end));
      } else if (!this.#breakCircle()) break;
    }
    this.#isRunning = false;
  }

  #ready(): readonly Waiting[] {
    const ready = this.#waiting.filter(({ waitsFor }) => waitsFor?.().every(({ isOver }) => isOver) !== false);
    const calls = ready.filter(({ isPause }) => isPause !== true);
    return calls.length === 0 || this.#random() < pauseShare ? ready : calls;
  }

  async #rest(): Promise<void> {
    for (let turn = 0; turn < restTurns; turn++) {
      const before = this.#requests;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#requests !== before || hasYielded() || isLoading()) turn = -1;
    }
  }

  /** Refuses one of the calls whose transactions wait for each other, if there are any. */
  #breakCircle(): boolean {
    const victim = this.#pick(this.#waiting.filter((waiting) => isInCircle(waiting, this.#waiting)));
    if (victim === undefined) return false;
    this.#leave(victim);
    this.order.push(`${victim.label} (deadlock)`);
    victim.refuse(new Retryable("Transactions waited for each other, and this one was rolled back. Run it again."));
    return true;
  }

  #pick(from: readonly Waiting[]): Waiting | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
  }
}

/** Whether what a call waits for waits, directly or through others, for the transaction of the call. */
function isInCircle({ owner, waitsFor }: Waiting, all: readonly Waiting[]): boolean {
  if (owner === undefined) return false;
  const reached = new Set(waitsFor?.());
  for (const ending of reached) {
    // A Set that grows while it is iterated is iterated to its new end.
    for (const other of all) if (other.owner === ending) for (const next of other.waitsFor?.() ?? []) reached.add(next);
  }
  return reached.has(owner);
}

/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
