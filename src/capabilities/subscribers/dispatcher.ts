import { AsyncResource } from "node:async_hooks";
import type { Logger } from "../../engine/operation/logging/logger.js";
import type { Random } from "../../engine/operation/random.js";
import { type InFlight, LeasedWorker, recoverMs } from "../../engine/operation/work/leasedWorker.js";
import type { WorkObserver } from "../../engine/operation/work/observer.js";
import { PollLoop } from "../../engine/operation/work/pollLoop.js";
import type { WorkerWakeups } from "../../engine/operation/work/workerWakeups.js";
import type { Clock } from "../../ground/clock/clock.js";
import type { Timers } from "../../ground/http/timers.js";
import type { ClaimedTask, SubscriberStore } from "../../ground/storage/queue/subscribers.js";
import { atMost } from "./atMost.js";
import { attempt } from "./attempt.js";
import type { Subscriber } from "./subscriber.js";

/** Dependencies and options of a dispatcher. */
export interface DispatcherParts {
  readonly store: SubscriberStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** The interval of polls for events of other processes, in milliseconds, if the developer gives one. */
  readonly pollMs: number | undefined;
  readonly wakeups: WorkerWakeups;
  /** How long tasks that ended stay in the log, in milliseconds. */
  readonly keepMs: number;
  /** Observes attempts; `undefined` if nothing observes the service. */
  observer(): WorkObserver | undefined;
  isClosing(): boolean;
}

/** A running attempt, and what aborts it. */
interface Running extends InFlight {
  readonly stop: AbortController;
}

type Worker = LeasedWorker<ClaimedTask, Running>;

const sweepMs = 600_000;
const sweptAtOnce = 1_000;
/** An attempt that does not end when it is aborted is not waited for any longer. */
const cutOffMs = 1_000;

/** The topic of all subscribers. */
const allTopic = "subscribers";

const topicOf = (name: string) => `subscriber:${name}`;

/**
 * Calls the handlers of this process with due events from the storage: one worker for each name, so that none waits for another. Several processes on one storage share the
 * work. All state is in the storage; the leases of a process that dies end.
 */
export class SubscriberDispatcher {
  readonly #parts: DispatcherParts;
  readonly #workers = new Map<string, Worker>();
  readonly #recover: PollLoop;
  readonly #sweep: PollLoop;
  /** Workers and handlers must not run in the asynchronous context of the request that woke them. */
  readonly #context = new AsyncResource("restwright.subscribers");
  #isStarted = false;
  #closed: Promise<void> | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { store, pollMs = recoverMs } = parts;
    this.#recover = new PollLoop({
      ...parts,
      run: async () => void ((await store.recover?.()) && this.wakeAll()),
      everyMs: Math.min(recoverMs, pollMs),
      isExact: true,
      failure: "Recovering events of subscribers in dead processes failed; the next poll retries.",
    });
    this.#sweep = new PollLoop({
      ...parts,
      run: () => this.#removeOld(),
      everyMs: sweepMs,
      failure: "Removing old events of subscribers failed; the next sweep retries.",
    });
  }

  /** Begins to claim events. A second call does nothing. */
  start(): void {
    if (this.#isStarted || this.#closed !== undefined) return;
    this.#isStarted = true;
    this.#context.runInAsyncScope(() => {
      if (this.#parts.store.recover !== undefined) this.#recover.now();
      this.#sweep.now();
      for (const worker of this.#workers.values()) worker.start();
    });
  }

  /** Adds the handler of a registered subscriber. */
  add(subscriber: Subscriber): void {
    const worker = this.#workerOf(subscriber);
    this.#workers.set(subscriber.name, worker);
    if (this.#isStarted && this.#closed === undefined) this.#context.runInAsyncScope(() => worker.start());
  }

  /** Polls for events of these subscribers at once, and tells other processes of them. */
  wake(names: readonly string[]): void {
    this.#wakeWorkers(names);
    this.#parts.wakeups.send(names.map(topicOf));
  }

  /** The same for all subscribers: those of this process, and those that only others have. */
  wakeAll(): void {
    this.#wakeWorkers(this.#workers.keys());
    this.#parts.wakeups.send([allTopic]);
  }

  /** Asks at once whether events are due, because another process may have enqueued some. */
  look(): void {
    this.#context.runInAsyncScope(() => {
      for (const worker of this.#workers.values()) worker.look();
    });
  }

  #wakeWorkers(names: Iterable<string>): void {
    this.#context.runInAsyncScope(() => {
      for (const name of names) this.#workers.get(name)?.wake();
    });
  }

  /** Claims nothing more, waits at most `graceMs` for handlers that run, and aborts the rest, whose events are released. */
  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    for (const loop of [this.#recover, this.#sweep]) loop.stop();
    await Promise.all([...this.#workers.values()].map((worker) => worker.close({ graceMs })));
    await atMost(cutOffMs, Promise.all([this.#recover.idle(), this.#sweep.idle()]), this.#parts.timers);
  }

  async #removeOld(): Promise<void> {
    const { store, keepMs } = this.#parts;
    while (this.#closed === undefined && (await store.sweep(keepMs, sweptAtOnce)) === sweptAtOnce);
  }

  #workerOf(subscriber: Subscriber): Worker {
    const { store, timers, random, logger, pollMs, wakeups } = this.#parts;
    const { name, concurrency, leaseMs } = subscriber;
    let last: { readonly tenant: string | undefined } | undefined;
    const worker: Worker = new LeasedWorker<ClaimedTask, Running>({
      ...{ timers, random, logger, wakeups, topics: [topicOf(name), allTopic], sweepMs, sweptAtOnce, noun: `events of the subscriber "${name}"` },
      pollMs: () => wakeups.pollMs(pollMs),
      room: () => concurrency - worker.inFlight.size,
      async claim(max, claimId) {
        const claimed = await store.claim({ name, max, leaseMs, after: last, claimId });
        last = claimed.at(-1)?.event ?? last;
        return claimed;
      },
      unclaim: async (claimId) => store.unclaim?.(name, claimId),
      begin: (task) => this.#begin(task, subscriber, worker),
      giveBack: ({ lease }) => store.release(lease, 0),
      dueInMs: () => store.dueInMs([name]),
      // One loop sweeps for all.
      sweep: async () => 0,
      cutOff() {
        for (const { stop } of worker.inFlight) stop.abort(new Error("The service is closing."));
        return worker.idle(cutOffMs);
      },
    });
    return worker;
  }

  #begin(task: ClaimedTask, subscriber: Subscriber, worker: Worker): Running {
    const { observer } = this.#parts;
    const stop = new AbortController();
    const run = () => attempt(task, subscriber, stop, { ...this.#parts, alsoAwait: (work) => worker.alsoAwait(work) });
    const { lease, event } = task;
    const observed = { kind: "subscriber", type: event.type, id: lease.id, attempt: task.attempt, trace: event.trace } as const;
    return { stop, ended: observer()?.work(observed, run) ?? run() };
  }
}
