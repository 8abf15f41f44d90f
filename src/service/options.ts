import type { Authorize } from "../auth/authorize.js";
import type { Principal, Verifier } from "../auth/verifier.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import type { Timers } from "../http/timers.js";
import type { Limits } from "../limits/limits.js";
import type { Clock } from "../operation/clock.js";
import type { Ids } from "../operation/ids.js";
import type { Logger } from "../operation/logger.js";
import type { Random } from "../operation/random.js";
import type { Resource } from "../resource/resource.js";
import type { BlobStore } from "../storage/blobs.js";
import type { IdempotencyStore } from "../storage/idempotency.js";
import type { Storage } from "../storage/storage.js";
import type { Webhook } from "../storage/webhooks.js";
import type { UploadOptions } from "../uploads/options.js";
import type { DisableRule } from "../webhooks/settings.js";
import type { Transport } from "../webhooks/transport.js";
import type { ProbePaths } from "./probes.js";

/** How lists are asked for and answered. */
export interface ListOptions {
  /** Query parameters that are not for this API; `*` at the end stands for the rest: `["utm_*"]`. Others that are unknown are 400. */
  readonly ignoreParameters?: readonly string[] | undefined;
  /** What `perPage` beyond its maximum means: 400 (default), or the maximum. */
  readonly overflow?: "refuse" | "clamp" | undefined;
  /** Whose days are meant by a date where a date-time is expected (default `UTC`), e.g. `Europe/Berlin`. */
  readonly timeZone?: string | undefined;
  /** `none`: a list is a bare array, and totals and links stand in headers alone. */
  readonly envelope?: "data" | "none" | undefined;
}

/** How operations under an Idempotency-Key are remembered. */
export interface IdempotencyOptions {
  /** Where records are kept (default: beside the rows, so that a record commits with its write). */
  readonly store?: IdempotencyStore | undefined;
  /** How long one try may take before another takes the operation over, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** How long answers are kept, in milliseconds (24 hours). */
  readonly ttlMs?: number | undefined;
  /** How long a request waits for the first one with its key before it is answered 409, in milliseconds (0). */
  readonly waitMs?: number | undefined;
  /** While the store is down, operations run without their guarantee (default: 503). */
  readonly failOpen?: boolean | undefined;
  /** Keep answers of 500 and above too. */
  readonly storeServerErrors?: boolean | undefined;
  /** Callers without credentials share one space of keys (default), or may not use keys: 401. */
  readonly anonymous?: "shared" | "refuse" | undefined;
}

/** How batches are done, of all collections unless one says otherwise. */
export interface BatchOptions {
  /** Each item by itself (default), or all or none. */
  readonly mode?: "best-effort" | "atomic" | undefined;
  /** Whether clients may ask for the other, by `Prefer: handling` (default: yes). */
  readonly clientMode?: boolean | undefined;
}

/** How work that goes on behind its request is done. */
export interface JobOptions {
  /** Whether this process does jobs (default), or leaves them to others on the same storage. */
  readonly work?: boolean | undefined;
  /** Jobs that this process does at a time (2). */
  readonly concurrency?: number | undefined;
  /** How often is looked for jobs of other processes, in milliseconds (5,000). */
  readonly pollMs?: number | undefined;
  /** How long a job may be silent before another worker takes it over, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** Jobs of one tenant that may be under way (2), those of all processes together. */
  readonly maxPerTenant?: number | undefined;
  /** Jobs of one tenant that may wait (20) → 429. */
  readonly maxQueuedPerTenant?: number | undefined;
  /** Who may see and cancel the jobs of others of its tenant (default: nobody). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
}

/** Webhooks: who is told of events, and how. */
export interface WebhookOptions {
  /** Sends deliveries, and says which addresses they may go to: `undiciTransport()` of `restwright/undici`. */
  readonly transport: Transport;
  /** Event types besides those of the collections, for `service.emit`. */
  readonly events?: readonly string[] | undefined;
  /** Version of the events' schema, a date (default: `2026-01-01`). */
  readonly apiVersion?: string | undefined;
  /** Largest body of an event, in bytes (262,144). */
  readonly eventBytes?: number | undefined;
  /** How long each attempt waits after the one before, in milliseconds (0, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h); the first is made at once in any case. */
  readonly scheduleMs?: readonly number[] | undefined;
  /** When a webhook is disabled by itself (after 50 failed attempts in a row). */
  readonly disableAfter?: Partial<DisableRule> | undefined;
  /** Whether 410 disables a webhook (default: yes). */
  readonly disableOnGone?: boolean | undefined;
  /** Hears of webhooks that were disabled by themselves: tell the owner. */
  readonly onDisabled?: ((webhook: Webhook) => void | Promise<void>) | undefined;
  /** Who may see and change the webhooks of others of its tenant (default: nobody). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
  /** Most webhooks of one tenant (100). */
  readonly maxPerTenant?: number | undefined;
  /** Shortest secret that a client may supply, in characters (8). */
  readonly minimumSecretCharacters?: number | undefined;
  /** Whether this process sends (default), or leaves that to others on the same storage. */
  readonly work?: boolean | undefined;
  /** Attempts under way at once (100). */
  readonly concurrency?: number | undefined;
  /** Attempts under way at once to one webhook (5). */
  readonly perWebhook?: number | undefined;
  /** How often is looked for what other processes left, in milliseconds (5,000). */
  readonly pollMs?: number | undefined;
  /** How long an attempt may be silent before another worker makes it again, in milliseconds (75,000): more than twice the transport's longest attempt. */
  readonly leaseMs?: number | undefined;
  /** How long what has ended stays in the log, in milliseconds (14 days). */
  readonly keepMs?: number | undefined;
}

/** What a service is made of. Only resources and storage are needed. */
export interface ServiceOptions {
  readonly resources: readonly Resource[];
  readonly storage: Storage;
  /** Without verifiers everyone is the anonymous principal. */
  readonly auth?: readonly Verifier[] | undefined;
  /** With verifiers: whether a request without credentials is refused (401, default) or served as the anonymous principal. */
  readonly anonymous?: "refuse" | "allow" | undefined;
  readonly authorize?: Authorize | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** pino, or anything of its shape. */
  readonly logger?: Logger | undefined;
  /** What happens to a path that is none of ours: the host goes on (default), or a 404 problem. */
  readonly notFound?: "continue" | "problem" | undefined;
  /** Makes `Location` absolute, e.g. `https://api.example.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Address of a page that explains the problem codes: the `type` of problems is `<docs>#CODE`. */
  readonly problemDocs?: string | undefined;
  readonly probes?: ProbePaths | undefined;
  readonly lists?: ListOptions | undefined;
  /** How operations under an `Idempotency-Key` are done once. By default the storage keeps the records; `false` ignores the header. */
  readonly idempotency?: IdempotencyOptions | false | undefined;
  /** How batches are done; `false`: there is no `/batch`, and collections have none. */
  readonly batch?: BatchOptions | false | undefined;
  /** How work that goes on behind its request is done; `false`: nothing does. By default the storage keeps the jobs, and this process does them. */
  readonly jobs?: JobOptions | false | undefined;
  /** Where files are kept: those of imports and exports that are done as jobs, which there are none of without it. */
  readonly blobs?: BlobStore | undefined;
  /** How files come in, under `/uploads` and `/files`; without it there are none. Needs `blobs`, and a storage that keeps records of uploads. */
  readonly uploads?: UploadOptions | undefined;
  /** Webhooks; without them there are none. They need a storage with transactions that keeps deliveries. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * What cursors are signed with: the first secret signs, all are accepted, so that one can follow another without a break. At least 16 bytes each.
   * Without them the storage keeps one that it made itself.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Hears of every error that was answered with 5xx. */
  readonly onError?: ((error: unknown, request: HttpRequest) => void) | undefined;
  /** Hears of every answer. */
  readonly onResponse?: ((response: HttpResponse, request: HttpRequest) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly ids?: Ids | undefined;
  readonly timers?: Timers | undefined;
}
