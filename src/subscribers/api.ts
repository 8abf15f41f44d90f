import type { EmitEvent } from "../events/serviceEvents.js";
import type { KnownSubscriber, Task, TaskState } from "../storage/subscribers.js";
import type { SubscriberOptions } from "./options.js";

/** An event as handlers get it; deeply frozen. */
export interface HandledEvent {
  /** `evt_` and a ULID; the same in every attempt and for every receiver, so that a handler can detect repetitions. */
  readonly id: string;
  /** Name in dot notation: `order.created`. */
  readonly type: string;
  /** `undefined` for rows without a tenant. */
  readonly tenant: string | undefined;
  readonly createdAt: Date;
  /** Version of the event's schema, a date. */
  readonly apiVersion: string;
  /** Dates and 64-bit integers are text in it, as in responses. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a handler is told about its attempt. */
export interface HandlerCall {
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborts after `timeoutMs`, and when the service closes and its grace is over. What the handler does after that does not count. */
  readonly signal: AbortSignal;
}

/** Handles an event. It has failed if it throws or rejects, and is tried again. */
export type EventHandler = (event: HandledEvent, call: HandlerCall) => unknown;

/** The API that `subscribers()` adds to a service. */
export interface SubscriberApi {
  readonly emit: EmitEvent;
  /**
   * Calls a handler with each event of a type, after the commit of the write that causes it, at least once. Events are enqueued for the name from the first start of a service that has
   * it.
   *
   * @param types an event type, a pattern such as `order.*`, several of them, or `*` for all events
   * @returns resolves when the name is registered; at once if the service has not started yet, because its start registers it
   * @throws {ConfigurationError} for a type that does not exist, an unknown option or an invalid value, and a name that this service has already
   * @example
   * service.on("order.created", { name: "send-receipt", attempts: 5 }, async ({ data }, { signal }) => mail.send(receiptOf(data), { signal }));
   */
  on(types: string | readonly string[], options: SubscriberOptions, handler: EventHandler): Promise<void>;
  /** The log of subscribers. */
  readonly subscribers: SubscriberLog;
}

/** Which tasks to list. A task is one event for one subscriber. */
export interface SubscriberQuery {
  /** The name of a subscriber. */
  readonly name?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  /** The type of the events. */
  readonly type?: string | undefined;
  /** The empty string stands for no tenant. */
  readonly tenant?: string | undefined;
  /** Continues after a task of this `position`, with older ones. */
  readonly after?: number | undefined;
  /** From 1 to 1,000. Defaults to 100. */
  readonly limit?: number | undefined;
}

/** Which tasks to replay. */
export interface ReplayQuery {
  /** The name of a subscriber. */
  readonly name: string;
  /** States of the tasks. Defaults to dead ones alone. */
  readonly states?: readonly ("succeeded" | "dead" | "canceled")[] | undefined;
}

/** A task with its event. */
export interface LoggedTask extends Omit<Task, "event"> {
  readonly event: HandledEvent;
}

/** The events that subscribers have handled or have yet to handle, of all tenants and processes. */
export interface SubscriberLog {
  /** Newest first. */
  list(query?: SubscriberQuery): Promise<readonly Task[]>;
  /** `undefined` if there is no such task, or no longer. */
  get(id: string): Promise<LoggedTask | undefined>;
  /** The number of tasks of a subscriber in each state. */
  counts(name: string): Promise<Readonly<Record<TaskState, number>>>;
  /**
   * Handles tasks again that ended, by their ids or by subscriber and state. Their attempts begin again with 1.
   *
   * @returns how many; open tasks and those of retired subscribers are left out
   */
  replay(tasks: readonly string[] | ReplayQuery): Promise<number>;
  /** All names that were ever registered. */
  names(): Promise<readonly KnownSubscriber[]>;
}
