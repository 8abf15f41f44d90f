import type { Principal } from "../auth/verifier.js";
import type { SecretBox } from "../secrets/secretBox.js";
import type { DeliveryStore } from "../storage/deliveries.js";
import type { Webhook, WebhookStore } from "../storage/webhooks.js";
import type { NetworkPolicy } from "./network.js";
import type { Transport } from "./transport.js";

/** When a webhook is disabled by itself. */
export interface DisableRule {
  /** Attempts in a row that failed. */
  readonly consecutive: number;
  /** How long ago the first of them has to be, in milliseconds. */
  readonly minDurationMs: number;
}

/** What operations and the dispatcher know of webhooks; made once by `createService`. */
export interface WebhookSettings {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly transport: Transport;
  /** There once the service has started. */
  readonly box: SecretBox;
  readonly network: NetworkPolicy;
  /** All event types that the service emits. */
  readonly eventTypes: readonly string[];
  /** The collections that cause events of matching types. */
  collectionsOf(matches: (type: string) => boolean): readonly string[];
  /** Version of the events' schema, a date; what a registration gets that asks for none. */
  readonly apiVersion: string;
  /** Shortest secret that a client may supply, in characters. */
  readonly minimumSecretCharacters: number;
  /** Most webhooks of one tenant. */
  readonly maxPerTenant: number;
  /** How long an attempt waits, from the first one on, in milliseconds. */
  readonly scheduleMs: readonly number[];
  readonly disableAfter: DisableRule;
  /** Whether 410 disables a webhook. */
  readonly disableOnGone: boolean;
  readonly userAgent: string;
  /** Whether a principal may see and change the webhooks of others of its tenant. */
  isAdmin(principal: Principal): boolean;
  /** A webhook was disabled by itself: the owner is to be told. */
  readonly onDisabled: ((webhook: Webhook) => void | Promise<void>) | undefined;
  /** Something is due: the dispatcher need not wait for its next look. */
  wake(): void;
}
