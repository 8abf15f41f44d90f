import type { Webhook } from "./webhooks.js";

/** An event in the form in which it is sent. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** The empty text is none. */
  readonly tenant: string | undefined;
  readonly createdAt: Date;
  /** Sent byte for byte on every attempt. */
  readonly body: Uint8Array;
}

/** An event and whom it goes to. */
export interface NewEvent extends StoredEvent {
  /** Ids of the deliveries to make, and of their webhooks. A webhook that is inactive or gone gets none. */
  readonly deliveries: readonly { readonly id: string; readonly webhook: string }[];
}

/** `pending → sending → succeeded | pending | dead | canceled`; a pending one may be canceled. */
export type DeliveryState = "pending" | "sending" | "succeeded" | "dead" | "canceled";

/** Why a delivery was made: by the event, by a replay of another delivery, or to try a webhook out. */
export type DeliveryTrigger = "auto" | "replay" | "test";

/** What came of one attempt. */
export interface DeliveryAttempt {
  readonly startedAt: Date;
  readonly latencyMs: number;
  /** Of the response, where one came. */
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
  /** How the body of the response begins. */
  readonly body: Uint8Array;
}

/** An attempt in the log. */
export interface LoggedAttempt extends DeliveryAttempt {
  /** 1 for the first. */
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  /** Its lease was over before anybody said what came of it; `latencyMs` is 0 then, and nothing else is known but its start. */
  readonly interrupted: boolean;
}

/** A delivery in the log. */
export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  readonly tenant: string | undefined;
  readonly event: string;
  readonly type: string;
  readonly trigger: DeliveryTrigger;
  readonly state: DeliveryState;
  /** Attempts in the log, interrupted ones included. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** When a pending one may be claimed, or the lease of one that is being sent is over. */
  readonly dueAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** Start, status and error of the last attempt. */
  readonly lastAttemptAt: Date | undefined;
  readonly lastStatus: number | undefined;
  readonly lastErrorCode: string | undefined;
  /** Place in the order in which deliveries were made: what a cursor holds. */
  readonly position: number;
}

/** Which deliveries of a webhook to list. */
export interface DeliveryQuery {
  readonly webhook: string;
  readonly states?: readonly DeliveryState[] | undefined;
  readonly type?: string | undefined;
  /** Made then or later. */
  readonly since?: Date | undefined;
  /** Made before. */
  readonly until?: Date | undefined;
  /** Only where the webhook has no later delivery of the same event, tests aside: what a recovery sends again. */
  readonly latest?: boolean | undefined;
  /** Newest first unless `asc`. */
  readonly order?: "asc" | "desc" | undefined;
  /** Goes on behind this position. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** What a worker shows when it has sent; a later claim of the delivery makes it worthless. */
export interface DeliveryLease {
  readonly id: string;
  readonly fence: number;
}

export interface DeliveryClaim {
  readonly leaseMs: number;
  /** At most so many deliveries. */
  readonly max: number;
  /** At most so many of one webhook may be under way, those of all workers together: the ones whose lease is not over. */
  readonly maxPerWebhook: number;
}

/** A delivery that is the caller's to send, with all that this takes. */
export interface ClaimedDelivery {
  readonly lease: DeliveryLease;
  readonly trigger: DeliveryTrigger;
  /** Number of the attempt to make, the first being 1; attempts whose lease ended without a word count. */
  readonly attempt: number;
  readonly event: StoredEvent;
  readonly webhook: Webhook;
}

/** What follows from an attempt for its delivery and its webhook. */
export interface DeliveryOutcome {
  /** Absent where none was made: as for a delivery that has no attempts left. */
  readonly attempt?: DeliveryAttempt | undefined;
  /** Where the attempt was sent: a webhook that goes elsewhere by now is not judged by it, but keeps its health. One that is absent is the webhook's. */
  readonly url?: string | undefined;
  /** A pending delivery of a webhook that is no longer active is canceled instead. */
  readonly next: { readonly state: "succeeded" | "dead" | "canceled" } | { readonly state: "pending"; readonly delayMs: number };
  /** What becomes of the webhook's consecutive failures. */
  readonly failures: "reset" | "add" | "keep";
  /** The webhook is disabled with the reason `consecutive_failures` at so many, the first of which is at least so long ago. */
  readonly disableAfter?: { readonly consecutive: number; readonly minDurationMs: number } | undefined;
  /** The webhook is disabled at once, for this reason. */
  readonly disable?: string | undefined;
  /** Nothing of the webhook is claimed for so long, or for as long as it was to rest already. */
  readonly pauseMs?: number | undefined;
  /** What becomes of the webhook's limit: one at a time, or one more; `max` is what it is where there has been no trouble. */
  readonly limit?: { readonly change: "one" | "grow"; readonly max: number } | undefined;
}

/** What was recorded. */
export interface RecordedDelivery {
  readonly state: DeliveryState;
  readonly consecutiveFailures: number;
  /** The reason, where this outcome was the one that disabled the webhook. */
  readonly disabled: string | undefined;
}

/**
 * Events and their deliveries to webhooks: the outbox. Every method is atomic; the clock is the store's own. On a `tx` of a storage they commit with its
 * rows: an event that is enqueued on a `tx` is delivered if and only if that commits.
 *
 * A claim whose lease is over goes to the next who claims: the attempt is in the log as `interrupted`, the fence grows. `record` and `release` are
 * refused, and change nothing, unless the lease is the last one given out and the delivery is still being sent; a lease that is over but has not been
 * taken over still counts.
 */
export interface DeliveryStore {
  /** Keeps events once and makes their deliveries, due at once. An event or a delivery whose id is there stays. @returns ids of the deliveries made */
  enqueue(events: readonly NewEvent[]): Promise<readonly string[]>;
  /**
   * Deliveries whose time has come, of active webhooks that do not rest: those of webhooks with the fewest under way first, then those due first. What
   * it costs grows with the webhooks that have something to send, not with how much that is.
   */
  claim(request: DeliveryClaim): Promise<readonly ClaimedDelivery[]>;
  /** Keeps what came of an attempt and what follows from it, in one step. `undefined`: the lease was lost, and nothing has changed. */
  record(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<RecordedDelivery | undefined>;
  /** Gives the delivery back, to be claimed after `delayMs`; no attempt was made. `false`: the lease was lost. */
  release(lease: DeliveryLease, delayMs: number): Promise<boolean>;
  /**
   * Milliseconds until a claim may answer something, 0 where it does now; `undefined` while nothing waits. A webhook that has as many under way as it may
   * waits for the end of the first of those leases.
   */
  dueInMs(maxPerWebhook: number): Promise<number | undefined>;
  get(id: string): Promise<Delivery | undefined>;
  /** Of a delivery, the first attempt first. */
  attempts(id: string): Promise<readonly LoggedAttempt[]>;
  event(id: string): Promise<StoredEvent | undefined>;
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** How many deliveries a webhook has of each state. */
  counts(webhook: string): Promise<Readonly<Record<DeliveryState, number>>>;
  /** Makes deliveries of the events of others, to the same webhooks, as far as those are active. @returns ids of the deliveries made */
  replay(deliveries: readonly { readonly id: string; readonly of: string }[]): Promise<readonly string[]>;
  /** Keeps a delivery that was made to try a webhook out, with its only attempt. It counts for nothing. `false`: there is such a delivery. */
  logTest(
    event: StoredEvent,
    delivery: { readonly id: string; readonly webhook: string; readonly state: "succeeded" | "dead" },
    attempt: DeliveryAttempt,
  ): Promise<boolean>;
  /**
   * Removes deliveries that ended more than `keepMs` ago, at most `max`, with their attempts and the events that have no other. Cancels what was made
   * for a webhook while it became inactive. @returns how many deliveries were removed
   */
  sweep(keepMs: number, max: number): Promise<number>;
}
