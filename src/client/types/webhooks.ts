import type { AttemptDocument, DeliveryDocument } from "../../capabilities/webhooks/delivery/deliveryDocument.js";
import type { WebhookDocument } from "../../capabilities/webhooks/registration/webhookDocument.js";
import type { Page } from "../../engine/resource/callTypes/types.js";
import type { Job } from "../calls/job.js";
import type { CallOptions, GuardedOptions, WriteOptions } from "../options.js";

/** A registration. `Pattern` are the types of events and their patterns. */
export interface NewWebhook<Pattern extends string> {
  readonly url: string;
  readonly events: readonly Pattern[];
  /** A condition on the data of events. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly active?: boolean | undefined;
  readonly secret?: string | undefined;
  readonly apiVersion?: string | undefined;
}

/** A webhook as the service shows it. */
export type Webhook = WebhookDocument;

/** A webhook with its secret, which is shown only once. */
export interface WebhookWithSecret extends WebhookDocument {
  readonly secret: string;
  /** The same secret in the form `whsec_…`. */
  readonly verificationSecret: string;
}

/** The result of an event that was sent at once. */
export interface WebhookTest {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly outcome: "success" | "retryable" | "terminal";
  readonly status: number | null;
  readonly latencyMs: number;
  readonly errorCode: string | null;
}

/** A delivery with its attempts and its event. */
export interface DeliveryWithAttempts extends DeliveryDocument {
  readonly attempts: readonly AttemptDocument[];
  /** `null` if the caller may not read it any more. */
  readonly event: unknown;
}

interface PageQuery {
  readonly perPage?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Which deliveries are listed. */
export interface DeliveryQuery extends PageQuery {
  readonly status?: DeliveryDocument["status"] | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | string | undefined;
}

/** The calls of webhooks. */
export interface WebhookCalls<Pattern extends string> {
  /** Registers a URL. The answer has the secret. */
  create(webhook: NewWebhook<Pattern>, options?: WriteOptions): Promise<WebhookWithSecret>;
  list(options?: PageQuery & CallOptions): Promise<Page<Webhook>>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  update(
    id: string,
    changes: { readonly [K in keyof NewWebhook<Pattern>]?: NewWebhook<Pattern>[K] | null },
    options?: GuardedOptions,
  ): Promise<Webhook>;
  remove(id: string, options?: GuardedOptions): Promise<void>;
  /** Makes a new secret. The older ones sign until their overlap ends. */
  rotateSecret(
    id: string,
    input?: { readonly secret?: string | undefined; readonly overlapSeconds?: number | undefined },
    options?: GuardedOptions,
  ): Promise<WebhookWithSecret>;
  /** Sends an event `webhook.test` at once. */
  test(id: string, input?: undefined, options?: WriteOptions): Promise<WebhookTest>;
  /** The log, the newest delivery first. */
  deliveries(id: string, query?: DeliveryQuery): Promise<Page<DeliveryDocument>>;
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryWithAttempts>;
  /** Sends the event of a delivery once more. */
  replay(id: string, deliveryId: string, options?: WriteOptions): Promise<DeliveryDocument>;
  /** Sends the events of failed deliveries once more, by a job. */
  recover(
    id: string,
    input: {
      readonly since: Date | string;
      readonly until?: Date | string | undefined;
      readonly statuses?: readonly ("dead" | "canceled" | "succeeded")[] | undefined;
    },
    options?: WriteOptions,
  ): Promise<Job<{ readonly replayed: number }>>;
}

export type { AttemptDocument, DeliveryDocument };
