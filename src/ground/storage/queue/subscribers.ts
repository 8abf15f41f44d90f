/** A subscriber: its name, and which types of events it receives. */
export interface RegisteredSubscriber {
  readonly name: string;
  /** Opaque to the store, at least one. */
  readonly patterns: readonly string[];
}

/** A subscriber that was registered at some time. */
export interface KnownSubscriber extends RegisteredSubscriber {
  /** When a process last registered or touched it. */
  readonly lastSeenAt: Date;
  /** Since when it gets no tasks; `undefined` while it is active. */
  readonly retiredAt: Date | undefined;
}

/** The active subscribers, for the fan-out of events. */
export interface ActiveSubscribers {
  /** Changes with every change of this list; a value never comes again. */
  readonly generation: string;
  readonly subscribers: readonly RegisteredSubscriber[];
}

/** An event as its subscribers receive it. */
export interface SubscriberEvent {
  readonly id: string;
  readonly type: string;
  /** The empty string stands for no tenant. */
  readonly tenant: string | undefined;
  readonly createdAt: Date;
  /** The serialised event, opaque to the store. */
  readonly body: Uint8Array;
  /** The trace of the write that caused it, at most 256 characters. */
  readonly trace?: string | undefined;
}

/** One event for one subscriber. */
export interface NewTask {
  readonly id: string;
  /** The name of the subscriber. */
  readonly name: string;
}

/** An event, and a task for each subscriber that receives it. */
export interface NewSubscriberEvent extends SubscriberEvent {
  readonly tasks: readonly NewTask[];
}

/** `pending → running → succeeded | pending | dead`; a pending one may be canceled, and one that ended may be replayed, which makes it pending. */
export type TaskState = "pending" | "running" | "succeeded" | "dead" | "canceled";

/** Those of tasks that ended. */
export const endedTaskStates = ["succeeded", "dead", "canceled"] as const satisfies readonly TaskState[];

export const taskStates = ["pending", "running", ...endedTaskStates] as const satisfies readonly TaskState[];

/** A task in the log. */
export interface Task {
  readonly id: string;
  /** The name of the subscriber. */
  readonly name: string;
  /** The id of the event. */
  readonly event: string;
  readonly type: string;
  readonly tenant: string | undefined;
  readonly state: TaskState;
  /** Attempts that ended since the task was created or replayed, interrupted ones included. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When a pending task may be claimed, or when the lease of a running one ends. */
  readonly dueAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** The error of the last attempt that failed. */
  readonly lastError: string | undefined;
  /** Position in the order of creation; cursors contain it. */
  readonly position: number;
}

/** Which tasks to list. */
export interface TaskQuery {
  readonly name?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly type?: string | undefined;
  /** The empty string stands for no tenant; if this is absent, tasks of all tenants are listed. */
  readonly tenant?: string | undefined;
  /** Continues after this position, with older tasks. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The proof of a worker that it holds the lease; a later claim or replay of the task invalidates it. */
export interface TaskLease {
  readonly id: string;
  readonly fence: number;
}

/** Which tasks to claim. */
export interface TaskClaim {
  /** The name of the subscriber. */
  readonly name: string;
  /** The most tasks to claim; a store may claim fewer, but at least one if one is due. */
  readonly max: number;
  readonly leaseMs: number;
  /** Begins with the tenant after this one. Pass the event of the task claimed last: then all tenants get their turns. */
  readonly after?: { readonly tenant: string | undefined } | undefined;
  /** Names this claim for `unclaim`; unique. */
  readonly claimId?: string | undefined;
}

/** A claimed task, with everything that is needed to run it. */
export interface ClaimedTask {
  readonly lease: TaskLease;
  /** The name of the subscriber. */
  readonly name: string;
  /** Number of the attempt to make, from 1; interrupted attempts count. */
  readonly attempt: number;
  /** How many earlier attempts were interrupted. */
  readonly interrupted: number;
  readonly event: SubscriberEvent;
}

/** How an attempt ended. A task with another attempt is pending and due after `delayMs`. An error is kept as it is, but without NUL characters. */
export type TaskOutcome =
  | { readonly state: "succeeded" }
  | { readonly state: "dead"; readonly error: string }
  | { readonly state: "pending"; readonly delayMs: number; readonly error: string };

/**
 * Subscribers, and the events that they have yet to handle: an outbox. Every method is atomic unless it says otherwise; the clock is the store's own. On a `tx` of a storage they
 * commit with its rows: a task that is enqueued on a `tx` runs if and only if that commits.
 *
 * A task whose lease has ended goes to the next claim: its attempt counts as interrupted, and the fence grows. `record` and `release` are refused, and change
 * nothing, unless the lease is the latest one and the task is still running; a lease that has ended but has not been taken over still counts.
 */
export interface SubscriberStore {
  /** Adds subscribers, or replaces their patterns, and notes that a process has them now. A retired one becomes active again. */
  register(subscribers: readonly RegisteredSubscriber[]): Promise<void>;
  /** Notes that a process has these registered subscribers now. A retired one becomes active again. */
  touch(names: readonly string[]): Promise<void>;
  /**
   * Retires the subscribers that no process has had for so long: they get no more tasks, and their pending ones are canceled. Many are canceled in several steps; `sweep` cancels
   * those that a crash leaves. Ephemeral ones are retired when their time is over. @returns the names of the others
   */
  retire(unusedMs: number): Promise<readonly string[]>;
  /**
   * Registers subscribers of one process, which are retired `lifeMs` from now unless it calls this again. Nothing is kept of them: a sweep removes their tasks that ended, and those that are retired.
   * Stores without this method have no such subscribers. @returns the names that were not active before
   */
  registerEphemeral?(subscribers: readonly RegisteredSubscriber[], lifeMs: number): Promise<readonly string[]>;
  /** Retires ephemeral subscribers at once, and cancels their pending tasks. */
  unregisterEphemeral?(names: readonly string[]): Promise<void>;
  /** The active subscribers, by name; `undefined` if the generation is the one that is `known`, after one small read. */
  active(known?: string): Promise<ActiveSubscribers | undefined>;
  /** All subscribers that were ever registered, by name. */
  subscribers(): Promise<readonly KnownSubscriber[]>;
  /**
   * Stores each event once and creates its tasks, due at once. A subscriber that is retired or was never registered gets none, and an event or a task with an existing id stays
   * unchanged. @returns how many tasks it created
   */
  enqueue(events: readonly NewSubscriberEvent[]): Promise<number>;
  /**
   * Claims due tasks of one subscriber: one of each tenant, beginning after a given one, then a second one of each, and so on; of one tenant in the order in which they are due. The
   * tasks come in this order. The cost grows with `max`, not with the number of tasks or tenants.
   */
  claim(request: TaskClaim): Promise<readonly ClaimedTask[]>;
  /**
   * Releases what a claim for a subscriber has leased and still holds, without counting an attempt: for a claim whose answer was lost. It waits for that claim if it is still under way. Stores without
   * this method let such leases end in their time. @returns how many
   */
  unclaim?(name: string, claimId: string): Promise<number>;
  /** Ends the leases of processes that are certainly dead; a slow process keeps its own. Stores without this method let leases end in their time. @returns how many */
  recover?(): Promise<number>;
  /** Records how an attempt ended. `false`: the lease was lost, and nothing has changed. */
  record(lease: TaskLease, outcome: TaskOutcome): Promise<boolean>;
  /** Returns the task without counting the attempt; it can be claimed after `delayMs`. `false`: the lease was lost. */
  release(lease: TaskLease, delayMs: number): Promise<boolean>;
  /** Milliseconds until a claim for one of these names returns something, 0 if it does now; `undefined` if nothing is open. The lease of a running task counts: it may end. */
  dueInMs(names: readonly string[]): Promise<number | undefined>;
  /** The number of pending tasks of all subscribers, whether due now or later; counts no further than `max`. */
  depth?(max: number): Promise<number>;
  get(id: string): Promise<Task | undefined>;
  /** The event of a task, by the id of the task. */
  event(id: string): Promise<SubscriberEvent | undefined>;
  /** Newest first. */
  list(query: TaskQuery): Promise<readonly Task[]>;
  /** The number of tasks of a subscriber in each state. A store may count in several steps. */
  counts(name: string): Promise<Readonly<Record<TaskState, number>>>;
  /** Makes tasks that ended pending and due now, and begins their attempts again with 1. Tasks that are open, or whose subscriber is retired, stay unchanged. @returns how many it changed */
  replay(ids: readonly string[]): Promise<number>;
  /**
   * Removes tasks that ended more than `keepMs` ago, and all of ephemeral subscribers that ended, at most `max`, and the events that have no other. Cancels open tasks of retired subscribers, at
   * most `max`. @returns how many tasks were removed
   */
  sweep(keepMs: number, max: number): Promise<number>;
}
