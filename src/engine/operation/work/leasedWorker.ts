import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers";
import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { isAway } from "../../../ground/storage/storedLater.js";
import type { Logger } from "../logging/logger.js";
import type { Random } from "../random.js";
import type { WorkEnd } from "./observer.js";
import { PollLoop } from "./pollLoop.js";
import { retrying } from "./retry.js";
import type { WorkerWakeups } from "./workerWakeups.js";

/** Interval of recovering leases of processes that died, in milliseconds. */
export const recoverMs = 3_500;
/** Pause before the next claim if something is due but another process holds it. */
const minDueMs = 100;
/** Other processes are told of attempts that will be repeated at most so often, in milliseconds: there may be many, and they are due later. */
const tellRepeatsMs = 1_000;

/** Claimed work that runs. */
export interface InFlight {
  /** Resolves when the work is over; never rejects. */
  readonly ended: Promise<WorkEnd>;
}

/** Work that processes share through a store: what a claim is, how many may run, how one runs, and what is logged. */
export interface LeasedWork<Claim, Running extends InFlight> {
  /** How many claims may begin now. */
  room(): number;
  /**
   * Claims at most `max`, each under a lease.
   *
   * @param claimId the same only if the claim is tried again after a conflict, when it has leased nothing
   */
  claim(max: number, claimId: string): Promise<readonly Claim[]>;
  /** Releases what the claim with this id has leased. */
  readonly unclaim?: ((claimId: string) => Promise<unknown>) | undefined;
  begin(claim: Claim): Running;
  /** Releases a claim that arrives after `close`. Such a claim begins if this is absent. */
  giveBack?(claim: Claim): Promise<unknown>;
  /** Milliseconds until work is due; `undefined` if none is known. If this is absent, only `wake`, the end of work and the interval lead to a claim. */
  dueInMs?(): Promise<number | undefined>;
  /** For work without `dueInMs`: milliseconds until the first work that waits for its time is due; `undefined` if none is known. What is due now does not count. */
  readonly laterInMs?: (() => Promise<number | undefined>) | undefined;
  /** Ends the leases of processes that are certainly dead; returns how many. */
  readonly recover?: (() => Promise<number>) | undefined;
  /** Removes at most `sweptAtOnce` records of finished work; returns how many. */
  sweep(): Promise<number>;
  /** Called when the worker closes, before it waits. */
  interrupt?(): void;
  /** Called if work still runs after the grace; the worker waits for it. */
  cutOff(): Promise<unknown>;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Interval of polling the store for work, in milliseconds, varied by up to 25 %. */
  readonly pollMs: () => number;
  /** Tells other processes of work that they may take, and this one of theirs. */
  readonly wakeups?: WorkerWakeups | undefined;
  /** The topics of the work: others are told of the first, and all are listened to. */
  readonly topics: readonly string[];
  readonly sweepMs: number;
  readonly sweptAtOnce: number;
  /** What is claimed, in the plural, for log messages: `jobs`. */
  readonly noun: string;
}

/**
 * Claims work of a store under leases and runs it. Any number of processes may run one on the same store: a process that dies leaves leases, which end in
 * their time or are recovered as soon as its death is certain.
 */
export class LeasedWorker<Claim, Running extends InFlight> {
  readonly #work: LeasedWork<Claim, Running>;
  readonly #inFlight = new Set<Running>();
  readonly #awaited = new Set<Promise<void>>();
  readonly #look: PollLoop;
  readonly #recover: PollLoop;
  readonly #sweep: PollLoop;
  #due: Timer | undefined;
  #telling: Timer | undefined;
  #hearsNothing: (() => void) | undefined;
  /** The id of the last claim if its answer was lost: nobody runs what it may have leased. */
  #lost: string | undefined;
  /** Whether a claim is likely to find something, so that the store need not be asked first. */
  #expectsWork = true;
  #lookIsNear = false;
  #isStarted = false;
  #closed: Promise<void> | undefined;

  constructor(work: LeasedWork<Claim, Running>) {
    this.#work = work;
    const { pollMs, sweepMs, noun } = work;
    this.#look = new PollLoop({ ...work, run: () => this.#claim(), everyMs: pollMs, failure: `Claiming ${noun} failed; the next poll retries.` });
    this.#recover = new PollLoop({
      ...work,
      run: () => this.#recoverLeases(),
      everyMs: () => Math.min(recoverMs, pollMs()),
      isExact: true,
      failure: `Recovering ${noun} of dead processes failed; the next poll retries.`,
    });
    this.#sweep = new PollLoop({
      ...work,
      run: () => this.#removeOld(),
      everyMs: sweepMs,
      failure: `Removing old ${noun} failed; the next sweep retries.`,
    });
  }

  /** The work that runs now. */
  get inFlight(): ReadonlySet<Running> {
    return this.#inFlight;
  }

  /** Polls for work at once, including that of dead processes, and then periodically. A second call does nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#work.recover !== undefined) this.#recover.now();
    this.#look.now();
    this.#sweep.now();
    this.#hearsNothing = this.#work.wakeups?.on(this.#work.topics, () => this.look());
  }

  /** Asks at once whether work is due, because another process says so. */
  look(): void {
    if (this.#isStarted) this.#look.now();
  }

  /** Polls at once, because there is new work or new room. */
  wake(): void {
    this.#expectsWork = true;
    if (this.#isStarted) this.#look.now();
  }

  /** Makes `close` wait for this too. It takes no room. */
  alsoAwait(work: Promise<void>): void {
    const awaited = work.finally(() => this.#awaited.delete(awaited));
    this.#awaited.add(awaited);
  }

  /** Stops claiming, waits at most `graceMs` for what is in flight, and cuts off the rest. */
  close({ graceMs = 10_000 }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  /** Waits at most `ms` until nothing is in flight; then for what `otherwise` does. */
  async idle(ms: number, otherwise?: () => Promise<unknown>): Promise<void> {
    let timer: Timer | undefined;
    let after: Promise<unknown> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = this.#work.timers.setTimeout(() => {
        after = otherwise?.();
        resolve();
      }, ms);
    });
    await Promise.race([this.#idle(), over]);
    timer?.cancel();
    await after;
  }

  async #close(graceMs: number): Promise<void> {
    for (const loop of [this.#look, this.#recover, this.#sweep]) loop.stop();
    this.#hearsNothing?.();
    this.#due?.cancel();
    const mayRelease = this.#inFlight.size > 0 || this.#look.isRunning;
    this.#work.interrupt?.();
    await this.idle(graceMs, () => this.#work.cutOff());
    if (mayRelease) this.#tellOthers();
  }

  /** Tells other processes that they may claim something: what this one has released, or has no room for. */
  #tellOthers(): void {
    this.#telling?.cancel();
    this.#telling = undefined;
    this.#work.wakeups?.send(this.#work.topics.slice(0, 1));
  }

  /** A claim that is still on its way may add to what is in flight. */
  async #idle(): Promise<void> {
    await Promise.all([this.#look.idle(), this.#recover.idle(), this.#sweep.idle()]);
    // At the next start of the process this is left to the end of the leases.
    if (this.#closed !== undefined) await this.#returnLost().catch(() => {});
    await Promise.all([...this.#inFlight].map(({ ended }) => ended));
    await Promise.all(this.#awaited);
  }

  async #claim(): Promise<void> {
    const work = this.#work;
    await this.#returnLost();
    const max = work.room();
    if (max <= 0) return;
    if (!this.#expectsWork && !(await this.#isDue())) return;
    const claims = await this.#take(max);
    for (const [index, claim] of claims.entries()) {
      if (this.#closed !== undefined && work.giveBack !== undefined)
        return void (await Promise.all(claims.slice(index).map((late) => retrying(async () => work.giveBack?.(late), work))));
      this.#begin(claim);
      if (turnIsOver()) await yieldToEventLoop();
    }
    this.#expectsWork = claims.length === max;
    if (claims.length === max) return;
    if (work.dueInMs === undefined) return this.#lookIn(await work.laterInMs?.());
    if (!(await this.#isDue())) return;
    if (claims.length === 0) return this.#lookIn(minDueMs);
    this.#expectsWork = true;
    this.#look.now();
  }

  async #take(max: number): Promise<readonly Claim[]> {
    const claimId = randomUUID();
    try {
      return await retrying(() => this.#work.claim(max, claimId), this.#work);
    } catch (error) {
      if (isAway(error)) this.#lost = claimId;
      throw error;
    }
  }

  /** Releases what the last claim leased if its answer was lost. There is no next claim before that, so that there is never more than one. */
  async #returnLost(): Promise<void> {
    if (this.#lost === undefined) return;
    await this.#work.unclaim?.(this.#lost);
    this.#lost = undefined;
    this.#expectsWork = true;
  }

  /** Whether work is due, as far as the store can tell. If it is not, the next look is planned for when it will be. Asking costs less than a claim, which writes. */
  async #isDue(): Promise<boolean> {
    if (this.#work.dueInMs === undefined) return true;
    const dueInMs = await this.#work.dueInMs();
    if (dueInMs === 0) return true;
    this.#lookIn(dueInMs);
    return false;
  }

  #begin(claim: Claim): void {
    const running = this.#work.begin(claim);
    this.#inFlight.add(running);
    void running.ended.then(({ outcome }) => {
      this.#inFlight.delete(running);
      this.#lookSoon();
      // Another process may have room when it is due, or this one may have ended by then.
      if (outcome === "retried" || outcome === "released")
        this.#telling ??= backgroundTimer(this.#work.timers, () => this.#tellOthers(), tellRepeatsMs);
    });
  }

  /** Looks once for all work that ends in this turn of the event loop. */
  #lookSoon(): void {
    if (this.#lookIsNear) return;
    this.#lookIsNear = true;
    setImmediate(() => {
      this.#lookIsNear = false;
      this.#look.now();
    });
  }

  /** Also for what is due after the next poll, which may be late by a quarter of its interval. */
  #lookIn(dueInMs: number | undefined): void {
    this.#due?.cancel();
    if (dueInMs === undefined || this.#closed !== undefined) return;
    this.#due = backgroundTimer(this.#work.timers, () => this.#look.now(), dueInMs === 0 ? minDueMs : dueInMs);
  }

  async #recoverLeases(): Promise<void> {
    const recovered = (await this.#work.recover?.()) ?? 0;
    if (recovered === 0) return;
    this.#look.now();
    this.#tellOthers();
  }

  async #removeOld(): Promise<void> {
    while (this.#closed === undefined && (await this.#work.sweep()) === this.#work.sweptAtOnce);
  }
}
