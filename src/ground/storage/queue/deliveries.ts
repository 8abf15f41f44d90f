import type { Webhook } from "./webhooks.js";

/** An event as it is sent. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** The empty string stands for no tenant. */
  readonly tenant: string | undefined;
  readonly createdAt: Date;
  /** Sent byte for byte on every attempt. */
  readonly body: Uint8Array;
  /** The trace of the write that caused it, at most 256 characters. A store that does not keep it only loses the link between two traces. */
  readonly trace?: string | undefined;
  /**
   * The row that the event is about, as the scopes of webhooks are judged with it: opaque to the store, and never sent. An event that is read without it is not sent
   * if it needs one.
   */
  readonly subject?: string | undefined;
}

/** An event and its receivers. */
export interface NewEvent extends StoredEvent {
  /** Ids of the deliveries to make, and of their webhooks. An inactive or deleted webhook gets none. */
  readonly deliveries: readonly { readonly id: string; readonly webhook: string }[];
}

/** How many waiting deliveries to make, and whose. */
export interface DeliverySpread {
  /** The most deliveries to make. */
  readonly max: number;
  /** Begins with the tenant after this one. Pass the tenant of the last call: then all tenants get their turns. */
  readonly after?: { readonly tenant: string | undefined } | undefined;
}

/** What a step made of the waiting events. */
export interface SpreadDeliveries {
  /** The tenant whose turn it was. */
  readonly tenant: string | undefined;
  /** How many deliveries it made. */
  readonly made: number;
}

/** `pending → sending → succeeded | pending | dead | canceled`; a pending one may be canceled. */
export type DeliveryState = "pending" | "sending" | "succeeded" | "dead" | "canceled";

/** Why a delivery was created: an event, a replay of another delivery, or a test of a webhook. */
export type DeliveryTrigger = "auto" | "replay" | "test";

/** The result of one attempt. */
export interface DeliveryAttempt {
  readonly startedAt: Date;
  readonly latencyMs: number;
  /** Of the response, if there was one. */
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
  /** The URL it was sent to; in the log `undefined` only for attempts of an earlier version that did not record it. */
  readonly url?: string | undefined;
  /** The beginning of the response body. */
  readonly body: Uint8Array;
}

/** An attempt in the log. */
export interface LoggedAttempt extends DeliveryAttempt {
  /** 1 for the first. */
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  /** Its lease ended before a result was recorded; then `latencyMs` is 0, and only its start and its URL are known. */
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
  /** When a pending delivery may be claimed, or when the lease of one that is being sent ends. */
  readonly dueAt: Date | undefined;
  readonly endedAt: Date | undefined;
  /** Start, status and error of the last attempt. */
  readonly lastAttemptAt: Date | undefined;
  readonly lastStatus: number | undefined;
  readonly lastErrorCode: string | undefined;
  /** The URL of the last attempt, including the current one. */
  readonly lastUrl: string | undefined;
  /** Position in the order of creation; cursors contain it. */
  readonly position: number;
}

/** Which deliveries of a webhook to list. */
export interface DeliveryQuery {
  readonly webhook: string;
  readonly states?: readonly DeliveryState[] | undefined;
  readonly type?: string | undefined;
  /** Created at this instant or later. */
  readonly since?: Date | undefined;
  /** Created before this instant. */
  readonly until?: Date | undefined;
  /** Only those without a later delivery of the same event to the webhook, not counting tests: a recovery sends these again. */
  readonly latest?: boolean | undefined;
  /** Newest first unless `asc`. */
  readonly order?: "asc" | "desc" | undefined;
  /** Continues after this position. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The proof of a worker that it holds the lease; a later claim of the delivery invalidates it. */
export interface DeliveryLease {
  readonly id: string;
  readonly fence: number;
}

/**
 * How many attempts may run at once, of all workers together, so that endpoints that do not respond leave room for others. A webhook is slow if
 * its last attempt timed out, or an attempt to it has been running for `slowMs`.
 */
export interface DeliveryShares {
  /** To the webhooks of one tenant. */
  readonly maxPerTenant: number;
  /** To slow webhooks of one tenant. */
  readonly maxSlowPerTenant: number;
  /** To slow webhooks of all tenants. */
  readonly maxSlow: number;
  readonly slowMs: number;
}

export interface DeliveryClaim {
  readonly leaseMs: number;
  /** The most deliveries to claim. */
  readonly max: number;
  /** The most deliveries of one webhook that may be in flight, of all workers together: those whose lease has not ended. */
  readonly maxPerWebhook: number;
  /** Unlimited if absent. */
  readonly shares?: DeliveryShares | undefined;
  /** Names this claim for `unclaim`; unique. */
  readonly claimId?: string | undefined;
}

/** A claimed delivery, with everything that is needed to send it. */
export interface ClaimedDelivery {
  readonly lease: DeliveryLease;
  readonly trigger: DeliveryTrigger;
  /** Number of the attempt to make, from 1; interrupted attempts count. */
  readonly attempt: number;
  /** How many earlier attempts were interrupted. */
  readonly interrupted: number;
  readonly event: StoredEvent;
  readonly webhook: Webhook;
}

/** The consequences of an attempt for its delivery and its webhook. */
export interface DeliveryOutcome {
  /** Absent if no attempt was made, such as for a delivery that has no attempts left. */
  readonly attempt?: DeliveryAttempt | undefined;
  /** The URL of the attempt. If the webhook has another URL by now, the attempt does not change its health. Defaults to the webhook's URL. */
  readonly url?: string | undefined;
  /** A pending delivery of an inactive webhook is canceled instead. */
  readonly next: { readonly state: "succeeded" | "dead" | "canceled" } | { readonly state: "pending"; readonly delayMs: number };
  /** The change of the webhook's consecutive failures. */
  readonly failures: "reset" | "add" | "keep";
  /** The webhook is disabled with the reason `consecutive_failures` after this many failures, if the first of them is at least this long ago. */
  readonly disableAfter?: { readonly consecutive: number; readonly minDurationMs: number } | undefined;
  /** Disables the webhook at once, for this reason. */
  readonly disable?: string | undefined;
  /** No delivery of the webhook is claimed for this long; a longer pause that it already has stays. */
  readonly pauseMs?: number | undefined;
  /** Whether the attempt got no response in time; if absent the webhook's `timedOut` stays. */
  readonly timedOut?: boolean | undefined;
  /** The change of the webhook's limit: one at a time, or one more; `max` is the limit without failures. */
  readonly limit?: { readonly change: "one" | "grow"; readonly max: number } | undefined;
}

/** The result of an attempt, and the lease that it was made under. */
export interface HeldOutcome {
  readonly lease: DeliveryLease;
  readonly outcome: DeliveryOutcome;
}

/** The recorded result. */
export interface RecordedDelivery {
  readonly state: DeliveryState;
  readonly consecutiveFailures: number;
  /** The reason, if this outcome disabled the webhook. */
  readonly disabled: string | undefined;
}

/**
 * Events and their deliveries to webhooks: the outbox. Every method is atomic; the clock is the store's own. On a `tx` of a storage they commit with its
 * rows: an event that is enqueued on a `tx` is delivered if and only if that commits.
 *
 * A delivery whose lease has ended goes to the next claim: its attempt is logged as `interrupted`, and the fence grows. `record` and `release` are
 * refused, and change nothing, unless the lease is the latest one and the delivery is still being sent; a lease that has ended but has not been
 * taken over still counts.
 */
export interface DeliveryStore {
  /**
   * Stores each event once and creates its deliveries, due at once. An event or a delivery with an existing id stays unchanged.
   *
   * With `later` an event waits for its deliveries, which `spread` makes; so does any event of a tenant behind one that waits, so that the deliveries of a webhook are made in the
   * order of the events. A webhook that is not active then gets none, nor does one that was inactive meanwhile. A store without `spread` creates all at once.
   *
   * @returns ids of the deliveries that were created or wait
   */
  enqueue(events: readonly NewEvent[], options?: { readonly later?: boolean | undefined }): Promise<readonly string[]>;
  /**
   * Creates deliveries for which events of one tenant wait, the first event first. Processes that call it at the same time create each delivery once. The cost grows with `max`, not with
   * the number of events or tenants that wait. @returns `undefined` if nothing waits
   */
  spread?(request: DeliverySpread): Promise<SpreadDeliveries | undefined>;
  /**
   * Claims due deliveries of active webhooks that are not paused. Tenants with the fewest in flight come first; within a tenant
   * webhooks with the fewest in flight, then the earliest due. No more than the shares allow. The cost grows with the number of webhooks that have due deliveries, not with the number of deliveries.
   */
  claim(request: DeliveryClaim): Promise<readonly ClaimedDelivery[]>;
  /**
   * Releases what a claim has leased and still holds, without an attempt: for a claim whose answer was lost. It waits for that claim if it is still under way. Stores without this method let such
   * leases end in their time. @returns how many
   */
  unclaim?(claimId: string): Promise<number>;
  /** Ends the leases of processes that are certainly dead; a slow process keeps its own. Stores without this method let leases end in their time. @returns how many */
  recover?(): Promise<number>;
  /** Records an attempt and its consequences in one step. `undefined`: the lease was lost, and nothing has changed. */
  record(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<RecordedDelivery | undefined>;
  /** Records several results in one step, in their order; each has the effect of `record`. A store without this method gets them one by one. */
  recordMany?(results: readonly HeldOutcome[]): Promise<readonly (RecordedDelivery | undefined)[]>;
  /** Returns the delivery without an attempt; it can be claimed after `delayMs`. `false`: the lease was lost. */
  release(lease: DeliveryLease, delayMs: number): Promise<boolean>;
  /**
   * Ends a delivery that must not be sent, without an attempt and without an effect on the webhook: one that had no attempt disappears, and its event with the last delivery, at
   * the latest in a sweep; one that had attempts is canceled. `false`: the lease was lost.
   */
  drop(lease: DeliveryLease): Promise<boolean>;
  /**
   * Milliseconds until a claim may return something, 0 if it does now; `undefined` if nothing is pending. A webhook at its limit
   * waits until the first of its leases ends; one whose share is used up waits for the leases of that share.
   */
  dueInMs(maxPerWebhook: number, shares?: DeliveryShares): Promise<number | undefined>;
  /** The number of pending deliveries of all webhooks, whether due now or later, and of those that events wait for; counts no further than `max`. */
  depth?(max: number): Promise<number>;
  get(id: string): Promise<Delivery | undefined>;
  /** The attempts of a delivery, in order. */
  attempts(id: string): Promise<readonly LoggedAttempt[]>;
  event(id: string): Promise<StoredEvent | undefined>;
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** The number of deliveries of a webhook in each state. */
  counts(webhook: string): Promise<Readonly<Record<DeliveryState, number>>>;
  /** Creates new deliveries of the same events to the same webhooks, if these are active. @returns ids of the created deliveries */
  replay(deliveries: readonly { readonly id: string; readonly of: string }[]): Promise<readonly string[]>;
  /** Stores a delivery that tested a webhook, with its only attempt. It does not change the webhook's health. `false`: the delivery already exists. */
  logTest(
    event: StoredEvent,
    delivery: { readonly id: string; readonly webhook: string; readonly state: "succeeded" | "dead" },
    attempt: DeliveryAttempt,
  ): Promise<boolean>;
  /** The instants of a tenant's test deliveries since `since`, newest first, at most `limit`. */
  testTimes(tenant: string | undefined, since: Date, limit: number): Promise<readonly Date[]>;
  /**
   * Removes deliveries that ended more than `keepMs` ago, at most `max`, with their attempts and the events that have no other. Cancels deliveries that were created
   * while their webhook became inactive. @returns how many deliveries were removed
   */
  sweep(keepMs: number, max: number): Promise<number>;
}
