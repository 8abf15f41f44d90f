import { AsyncResource } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { backgroundTimer, type Timer, type Timers } from "../../../ground/http/timers.js";
import type { WakeupListener, Wakeups } from "../../../ground/storage/wakeups.js";
import type { Logger } from "../logging/logger.js";
import type { Offer, Offers } from "../offers.js";
import { answered, WakeupSender } from "./wakeupSender.js";

/** Interval of polls, in milliseconds: if they alone find the work of other processes, and if wake-ups arrive. */
const usualPollMs = 5_000;
const heardPollMs = 30_000;
/** Interval of checks whether messages arrive, in milliseconds, and how long one may take. */
const checkMs = 30_000;
const echoMs = 5_000;

/** What the wake-ups of a service need. */
export interface WakeupParts {
  /** The channel; `undefined` if there is none. */
  readonly wakeups?: Wakeups | undefined;
  readonly timers: Timers;
  readonly logger: Logger;
}

/**
 * The wake-ups of one service: tells other processes of new work, and its own workers what others tell. A process learns of its own work without them. It listens while it has workers, and sends
 * itself a message every 30 s: only as long as those arrive do workers poll less often.
 */
export class WorkerWakeups {
  readonly #parts: WakeupParts;
  /** Marks the messages of this service. */
  readonly #origin = `@${randomBytes(6).toString("hex")}`;
  readonly #sender: WakeupSender | undefined;
  readonly #workers = new Map<string, Set<() => void>>();
  /** Workers must not run in the asynchronous context of the request that started the service. */
  readonly #context = new AsyncResource("restwright.wakeups");
  readonly #failures = new Set<"send" | "listen">();
  #listening: Promise<WakeupListener> | undefined;
  /** What the channel says of its connection; `undefined` if it has said nothing. */
  #isConnected: boolean | undefined;
  #isHeard = false;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: WakeupParts) {
    this.#parts = parts;
    const { wakeups, timers } = parts;
    const ended = (error: unknown) => this.#report("send", error);
    this.#sender = wakeups && new WakeupSender({ wakeups, timers, ended });
  }

  /**
   * The interval of polls now, in milliseconds: 30,000 while wake-ups arrive, otherwise the usual one.
   *
   * @param given by the developer, which is always kept
   */
  pollMs(given: number | undefined, usualMs = usualPollMs): number {
    return given ?? (this.#isHeard ? heardPollMs : usualMs);
  }

  /** Tells other processes that there is new work. Call it after the commit. Never throws. */
  send(topics: readonly string[]): void {
    if (!this.#isClosed) this.#sender?.add(topics.map((topic) => topic + this.#origin));
  }

  /**
   * Calls `look` when other processes have new work of these topics, and when wake-ups begin to arrive or no longer do. Listens from the first call on.
   *
   * @returns a function that ends it
   */
  on(topics: readonly string[], look: () => void): () => void {
    for (const topic of topics) this.#workers.set(topic, (this.#workers.get(topic) ?? new Set()).add(look));
    if (this.#listening === undefined && !this.#isClosed) this.#context.runInAsyncScope(() => this.#listen());
    return () => {
      for (const topic of topics) this.#workers.get(topic)?.delete(look);
    };
  }

  /** Sends what has been gathered and stops listening. Waits at most a second for a channel that does not answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { timers } = this.#parts;
    const end = this.#listening?.then((listener) => listener.close());
    const ended = end && answered(end, timers, () => new Error("The channel still listens.")).catch(() => {});
    await Promise.all([this.#sender?.flush(), ended]);
  }

  #listen(): void {
    const { wakeups } = this.#parts;
    if (wakeups === undefined) return;
    const changed = (isConnected: boolean) => this.#connected(isConnected);
    this.#listening = (async () => wakeups.listen((topics) => this.#hear(topics), changed))();
    this.#listening.then(
      () => {
        if (this.#isConnected === undefined) this.#connected(true);
      },
      (error: unknown) => {
        this.#report("listen", error);
        this.#later(() => this.#listen(), checkMs);
      },
    );
  }

  #connected(isConnected: boolean): void {
    if (this.#isClosed) return;
    const mayMiss = isConnected && this.#isConnected === true;
    this.#isConnected = isConnected;
    if (mayMiss) this.#lookForAll();
    else if (isConnected) this.#check();
    else this.#lost();
  }

  #lost(): void {
    this.#timer?.cancel();
    if (this.#isHeard) this.#report("listen", new Error("The channel has lost its connection."));
    this.#heard(false);
  }

  /** Sends this service a message. */
  #check(): void {
    this.send([""]);
    this.#later(() => {
      this.#report("listen", new Error(`A message to this process did not arrive within ${echoMs} ms.`));
      this.#heard(false);
      this.#later(() => this.#check(), checkMs);
    }, echoMs);
  }

  #hear(topics: readonly string[]): void {
    if (this.#isClosed) return;
    const looks = new Set<() => void>();
    for (const message of topics) {
      const [topic, origin] = partsOf(String(message));
      if (origin !== this.#origin) for (const look of this.#workers.get(topic) ?? []) looks.add(look);
      else if (topic === "") this.#echoed();
    }
    this.#run(looks);
  }

  #echoed(): void {
    if (this.#isConnected === false) return;
    this.#report("listen", undefined);
    this.#heard(true);
    this.#later(() => this.#check(), checkMs);
  }

  /** What happened while nothing arrived is found by a look, with which the other interval of polls begins. */
  #heard(isHeard: boolean): void {
    if (this.#isHeard === isHeard) return;
    this.#isHeard = isHeard;
    this.#lookForAll();
  }

  #lookForAll(): void {
    this.#run(new Set([...this.#workers.values()].flatMap((looks) => [...looks])));
  }

  #run(looks: ReadonlySet<() => void>): void {
    if (looks.size === 0) return;
    this.#context.runInAsyncScope(() => {
      for (const look of looks) look();
    });
  }

  #later(run: () => void, ms: number): void {
    this.#timer?.cancel();
    if (!this.#isClosed) this.#timer = backgroundTimer(this.#parts.timers, run, ms);
  }

  /** Logs the first failure, and that all is well again. */
  #report(part: "send" | "listen", error: unknown): void {
    const wasFailing = this.#failures.size > 0;
    if (error === undefined) this.#failures.delete(part);
    else this.#failures.add(part);
    const isFailing = this.#failures.size > 0;
    if (isFailing === wasFailing || this.#isClosed) return;
    const { logger } = this.#parts;
    if (isFailing) logger.warn({ err: error }, "Wake-ups between processes fail; until they arrive again, polls find the work of other processes.");
    else logger.info({}, "Wake-ups between processes arrive again.");
  }
}

/** The topic of a message and the mark of its service; none if another program sent it. */
function partsOf(message: string): readonly [topic: string, origin: string] {
  const at = message.lastIndexOf("@");
  return at === -1 ? [message, ""] : [message.slice(0, at), message.slice(at)];
}

const shared: Offer<WorkerWakeups> = { name: "wakeups" };

/** The wake-ups of a service, which its capabilities share. */
export function wakeupsOf({ offers, wakeups, timers, logger }: WakeupParts & { readonly offers: Offers }): WorkerWakeups {
  return offers.share(shared, () => new WorkerWakeups({ wakeups, timers, logger }));
}
