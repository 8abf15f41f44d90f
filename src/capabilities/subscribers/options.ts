import type { HandledEvent } from "./api.js";

/** Options of subscribers. */
export interface SubscribersOptions<Custom extends string = string> {
  /** Types of custom events, in addition to those of the collections and actions, for `service.emit`. */
  readonly events?: readonly Custom[] | undefined;
  /** Version of the events' schema, a date. Defaults to `2026-01-01`; with `webhooks()` both must say the same. */
  readonly apiVersion?: string | undefined;
  /** The most bytes of an event's body. Defaults to 262,144; with `webhooks()` both must say the same. */
  readonly eventBytes?: number | undefined;
  /**
   * The delay before each attempt, in milliseconds, for subscribers that give none. Defaults to 0, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h; the first attempt is always
   * immediate.
   */
  readonly scheduleMs?: readonly number[] | undefined;
  /** Whether this process runs handlers. Defaults to `true`; with `false`, other processes on the same storage run them. */
  readonly work?: boolean | undefined;
  /** The interval of polls for events of other processes, in milliseconds. Defaults to 5,000; 30,000 while wake-ups arrive, see `wakeups` of `createService`. */
  readonly pollMs?: number | undefined;
  /**
   * How long a process that no longer answers holds an event, in milliseconds: after that another one may handle it. Defaults to `timeoutMs` of the subscriber and 45 seconds; at
   * least `timeoutMs` and 5 seconds.
   */
  readonly leaseMs?: number | undefined;
  /** How long handled events stay in the log, in milliseconds. Defaults to 14 days. */
  readonly keepMs?: number | undefined;
}

/** Options of `service.on`. */
export interface SubscriberOptions {
  /** Identifies the subscriber in the storage, for all processes and releases: letters, digits, `.`, `_` and `-`, at most 100 characters. */
  readonly name: string;
  /**
   * `"process"`: every process that has the subscriber handles each event, such as to clear a cache, and nothing is kept for a process that has ended. By default each event goes to one of the
   * processes.
   */
  readonly each?: "process" | undefined;
  /**
   * With `each: "process"`: called when this process may have missed events, because it could not reach the storage for three minutes. A cache is to be cleared then. What it throws is logged.
   */
  readonly onMissed?: (() => unknown) | undefined;
  /** The most attempts at an event, from 1 to 100. Defaults to the number of entries of `scheduleMs`; further attempts repeat the last delay. */
  readonly attempts?: number | undefined;
  /** The delay before each attempt, in milliseconds, at most a day. The first attempt is always immediate. */
  readonly scheduleMs?: readonly number[] | undefined;
  /** The most events that this process handles at a time. Defaults to 5. */
  readonly concurrency?: number | undefined;
  /** How long an attempt may take, in milliseconds: after that its signal aborts and the attempt has failed. Defaults to 30,000; at most a day. */
  readonly timeoutMs?: number | undefined;
  /** Called once when the last attempt at an event has failed. What it throws is logged; a process that ends just then does not call it. */
  readonly onDead?: ((event: HandledEvent, end: DeadEnd) => unknown) | undefined;
}

/** Why an event was given up. */
export interface DeadEnd {
  /** What the last attempt threw; an error that says so if the attempt took too long or its process ended too often. */
  readonly error: unknown;
  /** How many attempts were made, those that ended with their process included. */
  readonly attempts: number;
}
