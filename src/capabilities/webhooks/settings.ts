import type { WorkObserver } from "../../engine/operation/work/observer.js";
import type { SecretBox } from "../../ground/secrets/secretBox.js";
import type { DeliveryStore } from "../../ground/storage/queue/deliveries.js";
import type { Webhook, WebhookStore } from "../../ground/storage/queue/webhooks.js";
import type { GuardedField } from "../../language/schema/access.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Subjects } from "../events/subjects.js";
import type { NetworkPolicy } from "./delivery/network.js";
import type { OwnerScopes } from "./delivery/ownerScopes.js";
import type { Transport } from "./delivery/transport.js";
import type { EventVersions } from "./events/eventVersions.js";

/** When a webhook is disabled automatically. */
export interface DisableRule {
  /** The number of consecutive failed attempts (50). */
  readonly consecutive: number;
  /** The least time since the first of them, in milliseconds (0). */
  readonly minDurationMs: number;
}

/** The resolved options that operations and the dispatcher share. */
export interface WebhookSettings {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly transport: Transport;
  /** Set when the service has started. */
  readonly box: SecretBox;
  readonly network: NetworkPolicy;
  /** All event types of the service. */
  readonly eventTypes: readonly string[];
  /** The collections whose events match the patterns. */
  collectionsOf(matches: (type: string) => boolean): readonly string[];
  /** The fields of a collection, by their names. */
  fieldsOf(collection: string): ReadonlyMap<string, GuardedField>;
  /** Which events may be sent and shown to whom; `undefined` if no collection has a scope. */
  readonly scopes?: { readonly subjects: Subjects; readonly owners: OwnerScopes } | undefined;
  /** Version of the events' schema, a date; the default for registrations. */
  readonly apiVersion: string;
  readonly versions: Pick<EventVersions, "all" | "bodyFor">;
  /** The shortest secret that a client may supply, in characters. */
  readonly minSecretCharacters: number;
  /** The most webhooks of one tenant. */
  readonly maxPerTenant: number;
  /** The delay before each attempt, in milliseconds. */
  readonly scheduleMs: readonly number[];
  readonly disableAfter: DisableRule;
  /** Whether 410 disables a webhook. */
  readonly disableOnGone: boolean;
  readonly userAgent: string;
  /** Whether a principal may read and change all webhooks of its tenant. */
  isAdmin(principal: Principal): boolean;
  /** Called when a webhook was disabled automatically, to notify its owner. */
  readonly onDisabled: ((webhook: Webhook) => void | Promise<void>) | undefined;
  /** Observes attempts and continues traces in them; `undefined` if nothing observes the service. */
  readonly observer?: WorkObserver | undefined;
  /** Makes the dispatcher poll at once, and tells other processes, because a delivery may be due. Called after the commit. */
  wake(): void;
}
