import type { Clock } from "../../ground/clock/clock.js";
import type { HttpRequest, HttpResponse } from "../../ground/http/message.js";
import type { Timers } from "../../ground/http/timers.js";
import type { Limits } from "../../ground/limits/limits.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Wakeups } from "../../ground/storage/wakeups.js";
import type { Authorize } from "../../parts/auth/authorize.js";
import type { AuthRequest, Principal, Verifier } from "../../parts/auth/verifier.js";
import type { Capability } from "../capability/capability.js";
import type { Ids } from "../operation/ids/ids.js";
import type { Logger } from "../operation/logging/logger.js";
import type { PrincipalOptions } from "../operation/principals.js";
import type { Random } from "../operation/random.js";
import type { Resource } from "../resource/resource.js";
import type { ProbePaths } from "./probes.js";

/** How list queries are read and lists are answered. */
export interface ListOptions {
  /** Query parameters to ignore; a trailing `*` matches any suffix: `["utm_*"]`. Other unknown parameters are answered with 400. */
  readonly ignoreParameters?: readonly string[] | undefined;
  /** What happens if `perPage` is above its maximum: 400 (`refuse`, default), or the maximum is used (`clamp`). */
  readonly overflow?: "refuse" | "clamp" | undefined;
  /** Time zone of a date that is given instead of a date-time (default `UTC`), e.g. `Europe/Berlin`. */
  readonly timeZone?: string | undefined;
  /** `data` (default): a list is `{ data, meta, links }`; `none`: it is a bare array, and totals and links are in headers only. */
  readonly envelope?: "data" | "none" | undefined;
}

/** How operations under an Idempotency-Key are recorded. */
export interface IdempotencyOptions {
  /** Store of the records (default: the storage of the rows, so that a record commits with its write). */
  readonly store?: IdempotencyStore | undefined;
  /** How long one attempt may take before another takes over the operation, in milliseconds (60,000). */
  readonly leaseMs?: number | undefined;
  /** How long answers are kept, in milliseconds (24 hours). */
  readonly ttlMs?: number | undefined;
  /** How long a request waits for a running request with the same key before it is answered with 409, in milliseconds (0). */
  readonly waitMs?: number | undefined;
  /** Whether operations run without the guarantee while the store is unavailable (false): otherwise they are 503. */
  readonly failOpen?: boolean | undefined;
  /** Whether answers with 500 and above are kept too (false). */
  readonly storeServerErrors?: boolean | undefined;
  /** Maximum total size of the answers kept for one principal, in bytes (64 MiB). Beyond it a replay has no body. */
  readonly maxStoredBytes?: number | undefined;
  /** Whether callers without credentials share one namespace of keys (`shared`, default) or may not use keys (`refuse`: 401). */
  readonly anonymous?: "shared" | "refuse" | undefined;
}

/** A tenant; `undefined` for the principal's own, `false` if the principal may not act for the tenant that it asks for. */
export type TenantChoice = string | undefined | false;

/** Options of `createService`. Only `resources` and `storage` are required. */
export interface ServiceOptions<
  Use extends readonly Capability[] = readonly Capability[],
  Resources extends readonly Resource[] = readonly Resource[],
> {
  /** The collections, made by `defineResource`. */
  readonly resources: Resources;
  /** Where the rows are stored, and by default the records of keys, jobs, uploads and webhooks too: `sqliteStorage`, `postgresStorage` or `memoryStorage`. */
  readonly storage: Storage;
  /** Capabilities of the API in addition to the collections, each imported from its own entry point: `[jobs(), batch(), transfer({ blobs }), uploads({ blobs, types }), webhooks({ transport })]`. */
  readonly use?: Use | undefined;
  /**
   * How processes tell each other of new jobs, deliveries and events of subscribers, so that these start at once. Defaults to what the storage has (PostgreSQL: LISTEN and NOTIFY); `false`: they only
   * poll, every 5 s. While messages arrive, they poll every 30 s. A channel that fails costs a request nothing.
   *
   * @example
   * wakeups: redisWakeups({ publisher, subscriber })
   */
  readonly wakeups?: Wakeups | false | undefined;
  /** Verifiers of credentials. Without verifiers every caller is the anonymous principal. */
  readonly auth?: readonly Verifier[] | undefined;
  /** With verifiers: `refuse` (default) answers requests without credentials with 401, `allow` serves them as the anonymous principal. */
  readonly anonymous?: "refuse" | "allow" | undefined;
  /** Whether a principal may do something with a collection, and with which fields. It gets no row: which rows a principal may use is the `scope` of a collection. Without it everything is allowed. */
  readonly authorize?: Authorize | undefined;
  /**
   * How jobs renew the principal that sent them, before each attempt and once a minute. Without it a job has the scopes and claims of its request to its end.
   *
   * @example
   * principals: { reload: ({ id, tenant }) => accounts.find({ id, tenant }) }
   */
  readonly principals?: PrincipalOptions | undefined;
  /**
   * The tenant of an authenticated request, if it is not the principal's own: the only way in which `X-Tenant-ID` has an effect. `undefined` keeps the principal's
   * tenant, `false` is 403. Not called for callers without credentials.
   *
   * @example
   * tenant: ({ headers }, { claims }) => (claims?.role === "support" ? headers.get("x-tenant-id") : undefined)
   */
  readonly tenant?: ((request: AuthRequest, principal: Principal) => TenantChoice | Promise<TenantChoice>) | undefined;
  /** Whether a POST of this caller may ask for another method, with `X-HTTP-Method-Override` or `_method`. Called after authentication; default: no, which is 403. */
  readonly trustMethodOverride?: ((request: AuthRequest, principal: Principal) => boolean | Promise<boolean>) | undefined;
  /** Refuses clients whose `X-Client-Version` is lower, e.g. `2.3.0`: 400 CLIENT_TOO_OLD. Clients that send no version are served. */
  readonly minimumClientVersion?: string | undefined;
  /** How many proxies of the operator each request passes. Their entries in `X-Forwarded-For` give the client's address, for rate limits and quotas. Defaults to 0. */
  readonly trustedHops?: number | undefined;
  /** Limits of everything that grows with a request, by their names. A limit that is not given keeps its default. */
  readonly limits?: Partial<Limits> | undefined;
  /** pino, or a logger with the same interface. By default warnings and errors go to stderr, one JSON line each; `false` disables logging. */
  readonly logger?: Logger | false | undefined;
  /** What happens with paths that this service does not serve: with `continue` (default) the host continues, with `problem` a 404 problem is answered. */
  readonly notFound?: "continue" | "problem" | undefined;
  /** Makes `Location` absolute, e.g. `https://api.example.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Address of a page that explains the problem codes: the `type` of problems is `<docs>#CODE`. */
  readonly problemDocs?: string | undefined;
  /** The paths of probes for load balancers: `{ health: "/health", ready: "/ready" }` (default: none). */
  readonly probes?: ProbePaths | undefined;
  /** How list queries are read and lists are answered. */
  readonly lists?: ListOptions | undefined;
  /** How an `Idempotency-Key` makes an operation run only once. By default the storage keeps the records; `false` ignores the header. */
  readonly idempotency?: IdempotencyOptions | false | undefined;
  /**
   * Secrets that sign cursors: the first one signs and all are accepted, so that secrets can be rotated. At least 16 bytes each.
   * By default the storage creates and keeps one.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Called with every error that is answered with 5xx. */
  readonly onError?: ((error: unknown, request: HttpRequest) => void) | undefined;
  /** Called with every answer. */
  readonly onResponse?: ((response: HttpResponse, request: HttpRequest) => void) | undefined;
  /** Tells the time; tests pass another one. Defaults to the clock of the system. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 to 1, for delays between retries. Defaults to those of `node:crypto`. */
  readonly random?: Random | undefined;
  /** Makes the ids of requests and the versions of rows. Defaults to random UUIDs and ULIDs. */
  readonly ids?: Ids | undefined;
  /** Timers of delays; tests pass others. Defaults to the timers of the system. */
  readonly timers?: Timers | undefined;
}
