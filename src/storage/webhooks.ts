/** What a client says of where events go. */
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
  /** The sealed secret before the last rotation. */
  readonly previousSecret: string | undefined;
  /** When the previous secret ends. */
  readonly previousSecretUntil: Date | undefined;
  /** Name of the client certificate that is shown to the receiver. */
  readonly clientCertificate: string | undefined;
}

/** A webhook to keep. */
export interface NewWebhook
  extends Pick<WebhookTarget, "url" | "events" | "secret" | "secretHint">,
    Partial<Omit<WebhookTarget, "url" | "events" | "secret" | "secretHint">> {
  readonly id: string;
  readonly tenant: string | undefined;
  /** Id of the principal who registered it. */
  readonly owner: string;
  /** It is unless given. */
  readonly active?: boolean | undefined;
}

/** What to change; members that are absent stay, `undefined` empties those that may be empty. */
export interface WebhookChange extends Partial<WebhookTarget> {
  /**
   * `true` on an inactive one: the failures count from 0, the reason and the pause are gone, and one delivery at a time begins. Either way, what was
   * pending when the state changed is canceled: nothing old is sent by itself.
   */
  readonly active?: boolean;
  /** Why it becomes inactive; none unless given. */
  readonly disabledReason?: string;
}

/** How well deliveries to a webhook have gone. */
export interface WebhookHealth {
  readonly active: boolean;
  /** Attempts that failed since the last that did not. */
  readonly consecutiveFailures: number;
  /** When the first of them was recorded. */
  readonly failingSince: Date | undefined;
  /** Lower case: `consecutive_failures`, `gone`. */
  readonly disabledReason: string | undefined;
  readonly disabledAt: Date | undefined;
  /** Nothing is claimed before. */
  readonly pausedUntil: Date | undefined;
  /** At most so many deliveries at once, where that is fewer than a claim allows; `undefined` after no trouble. */
  readonly limit: number | undefined;
}

export interface Webhook extends WebhookTarget, WebhookHealth {
  readonly id: string;
  /** `undefined` also where it was registered with the empty text. */
  readonly tenant: string | undefined;
  readonly owner: string;
  readonly createdAt: Date;
  /** Of the last `update`, or of its being disabled. */
  readonly updatedAt: Date;
  /**
   * New with each `update` and when the webhook is disabled, and never one that it had before. Failures, pauses and limits alone leave it, so that a
   * client's change does not lose against a delivery.
   */
  readonly version: string;
}

/** What became of an update. */
export type WebhookUpdate =
  | { readonly ok: true; readonly webhook: Webhook }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "stale"; readonly current: Webhook };

/** The active webhooks of a tenant. */
export interface ActiveWebhooks {
  /**
   * Changes whenever the list does, or a member that is not health; for one tenant never one that anybody has seen before, be it in a transaction that
   * was rolled back.
   */
  readonly generation: string;
  /** Ascending by id. */
  readonly webhooks: readonly Webhook[];
}

/**
 * Registrations of webhooks. Every method is atomic; the clock is the store's own. On a `tx` of a storage they commit with its rows. Filters are kept as
 * JSON, and the empty text is no tenant. What a delivery does to a webhook stands in `DeliveryStore.record`.
 */
export interface WebhookStore {
  /** @returns `false` where there is such a webhook already, which stays as it is */
  create(webhook: NewWebhook): Promise<boolean>;
  get(id: string): Promise<Webhook | undefined>;
  /** Webhooks of a tenant whose id is above `after`, ascending by code points. */
  list(tenant: string | undefined, after: string | undefined, limit: number): Promise<readonly Webhook[]>;
  /** How many webhooks a tenant has, the inactive ones too. */
  count(tenant: string | undefined): Promise<number>;
  /** With `ifVersion` only where the webhook still has it, decided inside the write. */
  update(id: string, change: WebhookChange, ifVersion?: string): Promise<WebhookUpdate>;
  /** Forgets the webhook and cancels what is pending; its deliveries stay in the log until the sweep. `false`: none, or not that version. */
  remove(id: string, ifVersion?: string): Promise<boolean>;
  /** The active webhooks of a tenant for the fan-out; `undefined`, at the cost of one small read, where nothing has changed since `known`. */
  active(tenant: string | undefined, known?: string): Promise<ActiveWebhooks | undefined>;
}
