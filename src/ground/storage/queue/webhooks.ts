/** A secret that a rotation replaced. It signs together with the current one until its overlap ends. */
export interface PreviousSecret {
  /** Sealed, as text. */
  readonly secret: string;
  /** `undefined` if it was replaced before hints were stored. */
  readonly secretHint: string | undefined;
  /** When its overlap ends. */
  readonly until: Date;
}

/** The members of a webhook that a client sets. */
export interface WebhookTarget {
  readonly url: string;
  /** Patterns of event types. */
  readonly events: readonly string[];
  /** Condition on the event's data, as JSON; `undefined` for none. */
  readonly filter: unknown;
  readonly apiVersion: string | undefined;
  /** Sealed, as text. */
  readonly secret: string;
  /** What reads show of the secret. */
  readonly secretHint: string;
  /** The earlier secrets, newest first. */
  readonly previousSecrets: readonly PreviousSecret[];
  /** Name of the client certificate that is shown to the receiver. */
  readonly clientCertificate: string | undefined;
  /** The owner with scopes and claims as JSON, opaque to the store and never shown; `undefined` if it was registered before they were stored. */
  readonly principal: unknown;
}

/** A new webhook. */
export interface NewWebhook
  extends Pick<WebhookTarget, "url" | "events" | "secret" | "secretHint">,
    Partial<Omit<WebhookTarget, "url" | "events" | "secret" | "secretHint">> {
  readonly id: string;
  readonly tenant: string | undefined;
  /** Id of the principal who registered it. */
  readonly owner: string;
  /** Defaults to `true`. */
  readonly active?: boolean | undefined;
}

/** Changes; absent members stay, `undefined` clears optional ones. */
export interface WebhookChange extends Partial<WebhookTarget> {
  /**
   * `true` on an inactive webhook resets failures, reason and pause, and begins with one delivery at a time. Either way, deliveries that were
   * pending when the state changed are canceled: nothing old is sent automatically.
   */
  readonly active?: boolean;
  /** Why it becomes inactive; no reason if absent. */
  readonly disabledReason?: string;
}

/** The health of a webhook. */
export interface WebhookHealth {
  readonly active: boolean;
  /** Failed attempts since the last success. */
  readonly consecutiveFailures: number;
  /** When the first of them was recorded. */
  readonly failingSince: Date | undefined;
  /** Lower case: `consecutive_failures`, `gone`. */
  readonly disabledReason: string | undefined;
  readonly disabledAt: Date | undefined;
  /** No delivery is claimed before this instant. */
  readonly pausedUntil: Date | undefined;
  /** Whether the last attempt got no response in time. */
  readonly timedOut: boolean;
  /** The most deliveries at once, if fewer than a claim allows; `undefined` without failures. */
  readonly limit: number | undefined;
}

export interface Webhook extends WebhookTarget, WebhookHealth {
  readonly id: string;
  /** `undefined` also if it was registered with the empty string. */
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly createdAt: Date;
  /** Instant of the last `update`, or when it was disabled. */
  readonly updatedAt: Date;
  /**
   * Changes with each `update` and when the webhook is disabled, and never repeats. Failures, pauses and limits alone do not change it, so that a
   * client's change does not conflict with a delivery.
   */
  readonly version: string;
}

/** The result of an update. */
export type WebhookUpdate =
  | { readonly ok: true; readonly webhook: Webhook }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "stale"; readonly current: Webhook };

/** The active webhooks of a tenant. */
export interface ActiveWebhooks {
  /**
   * Changes whenever the list or a member other than health changes; it never repeats within a tenant, not even after a transaction that
   * was rolled back.
   */
  readonly generation: string;
  /** Ascending by id. */
  readonly webhooks: readonly Webhook[];
}

/**
 * Registrations of webhooks. Every method is atomic; the clock is the store's own. On a `tx` of a storage they commit with its rows. Filters are stored as
 * JSON, and the empty string stands for no tenant. `DeliveryStore.record` describes how a delivery changes a webhook.
 */
export interface WebhookStore {
  /** @returns `false` if the webhook already exists; it stays unchanged */
  create(webhook: NewWebhook): Promise<boolean>;
  get(id: string): Promise<Webhook | undefined>;
  /** Webhooks of a tenant whose id is above `after`, ascending by code points. */
  list(tenant: string | undefined, after: string | undefined, limit: number): Promise<readonly Webhook[]>;
  /** The number of webhooks of a tenant, including inactive ones. */
  count(tenant: string | undefined): Promise<number>;
  /** With `ifVersion` only if the webhook still has this version, checked inside the write. */
  update(id: string, change: WebhookChange, ifVersion?: string): Promise<WebhookUpdate>;
  /** Deletes the webhook and cancels its pending deliveries; they stay in the log until the sweep. `false`: no such webhook, or another version. */
  remove(id: string, ifVersion?: string): Promise<boolean>;
  /** The active webhooks of a tenant for the fan-out; `undefined`, after one small read, if nothing has changed since `known`. */
  active(tenant: string | undefined, known?: string): Promise<ActiveWebhooks | undefined>;
}
