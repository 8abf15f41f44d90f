import type { EventSubscriptions, TypedEvent } from "../../engine/resource/typedEvents.js";
import type { KnownSubscriber, Task, TaskState } from "../../ground/storage/queue/subscribers.js";
import type { EmitEvent } from "../events/serviceEvents.js";
import type { DeadEnd, SubscriberOptions } from "./options.js";

/** An event as handlers get it, of any type; deeply frozen. Dates and 64-bit integers are text in its data, as in responses. */
export type HandledEvent = TypedEvent<string, Readonly<Record<string, unknown>>>;

/** What a handler is told about its attempt. */
export interface HandlerCall {
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborts after `timeoutMs`, and when the service closes and its grace is over. What the handler does after that does not count. */
  readonly signal: AbortSignal;
}

/** Handles an event. It has failed if it throws or rejects, and is tried again. */
export type EventHandler = (event: HandledEvent, call: HandlerCall) => unknown;

/**
 * The API that `subscribers()` adds to a service.
 *
 * @typeParam Custom types of custom events
 */
export interface SubscriberApi<Custom extends string = never> extends EventSubscriptions<SubscriberOptions, HandlerCall, DeadEnd, Custom> {
  readonly emit: EmitEvent;
  /** The log of subscribers. */
  readonly subscribers: SubscriberLog;
}

/** Which tasks to list. A task is one event for one subscriber. */
export interface SubscriberQuery {
  /** The name of a subscriber. */
  readonly name?: string | undefined;
  /** Only tasks in these states (default: all). */
  readonly states?: readonly TaskState[] | undefined;
  /** The type of the events. */
  readonly type?: string | undefined;
  /** The empty string stands for no tenant. */
  readonly tenant?: string | undefined;
  /** Continues after a task of this `position`, with older ones. Defaults to the newest task. */
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
