import type { Webhook } from "../../ground/storage/queue/webhooks.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Transport } from "./delivery/transport.js";
import type { EventVersions } from "./events/eventVersions.js";
import type { DisableRule } from "./settings.js";

/** Options for webhooks. */
export interface WebhookOptions {
  /** Sends deliveries, and decides which addresses they may go to: `undiciTransport()` of `restwright/undici`. */
  readonly transport: Transport;
  /** Types of custom events, in addition to those of the collections, for `service.emit`. */
  readonly events?: readonly string[] | undefined;
  /** Version of the events' schema, a date, or several versions made by `eventVersions`. Defaults to `2026-01-01`. */
  readonly apiVersion?: string | EventVersions | undefined;
  /** The most bytes of an event's body. Defaults to 262,144. */
  readonly eventBytes?: number | undefined;
  /** The delay before each attempt, in milliseconds. Defaults to 0, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h; the first attempt is always immediate. */
  readonly scheduleMs?: readonly number[] | undefined;
  /** When a webhook is disabled automatically. Defaults to 50 failed attempts in a row. */
  readonly disableAfter?: Partial<DisableRule> | undefined;
  /** Whether 410 disables a webhook. Defaults to `true`. */
  readonly disableOnGone?: boolean | undefined;
  /** Called when a webhook was disabled automatically, to notify its owner. */
  readonly onDisabled?: ((webhook: Webhook) => void | Promise<void>) | undefined;
  /** Whether a principal may read and change all webhooks of its tenant. Defaults to no principal. */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
  /** The most webhooks of one tenant. Defaults to 100. */
  readonly maxPerTenant?: number | undefined;
  /** The shortest secret that a client may supply, in characters. Defaults to 8. */
  readonly minSecretCharacters?: number | undefined;
  /** Whether this process sends deliveries. Defaults to `true`; with `false`, other processes on the same storage send them. */
  readonly work?: boolean | undefined;
  /** The most attempts that are being sent: those that began less than 250 ms ago. Defaults to 100. */
  readonly concurrency?: number | undefined;
  /** The most further attempts that wait for a response. Defaults to 10 times `concurrency`. */
  readonly waiting?: number | undefined;
  /** The most concurrent attempts to one webhook. Defaults to 5. */
  readonly perWebhook?: number | undefined;
  /** The interval of polls for deliveries of other processes, in milliseconds. Defaults to 5,000; 30,000 while wake-ups arrive, see `wakeups` of `createService`. */
  readonly pollMs?: number | undefined;
  /**
   * How long a claimed delivery is held before another worker may claim it, in milliseconds. Defaults to 75,000; at least twice the transport's longest
   * attempt.
   */
  readonly leaseMs?: number | undefined;
  /** How long finished deliveries stay in the log, in milliseconds. Defaults to 14 days. */
  readonly keepMs?: number | undefined;
}
