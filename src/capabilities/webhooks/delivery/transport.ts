import type { NetworkPolicy } from "./network.js";

/** A client certificate that the server of a webhook requires, and its key; both PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One delivery as an HTTP request; the transport adds `host`, `content-length` and `accept-encoding`. */
export interface TransportRequest {
  /** Already checked by `checkWebhookUrl`. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts the attempt, with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** Why an attempt has no status, or one that does not count. */
export type TransportErrorCode =
  | "ADDRESS_BLOCKED"
  | "DNS_FAILED"
  | "CONNECT_TIMEOUT"
  | "CONNECTION_REFUSED"
  | "CONNECTION_RESET"
  | "CONNECTION_CLOSED"
  | "CONNECTION_FAILED"
  | "HOST_UNREACHABLE"
  | "TLS_CERTIFICATE_INVALID"
  | "TLS_FAILED"
  | "CLIENT_CERTIFICATE_INVALID"
  | "TIMEOUT"
  | "BAD_RESPONSE"
  | "BAD_REQUEST"
  | "ABORTED";

/**
 * The result of an attempt: a `status`, or an `errorCode` if no response head arrived. Errors after the head
 * only set `truncated`. Interim responses (1xx except 101) are not a head: the attempt waits for the final one, and ends with `TIMEOUT` without it.
 */
export interface AttemptResult {
  readonly status?: number | undefined;
  readonly errorCode?: TransportErrorCode | undefined;
  /** From the beginning of the attempt to the response head, or to the failure. */
  readonly latencyMs: number;
  /** The Retry-After header, not parsed. */
  readonly retryAfter?: string | undefined;
  /** The first bytes of the body as sent, at most `bodyHeadBytes`. */
  readonly bodyHead: Uint8Array;
  /** Whether the body is longer than `bodyHead`, or ended early. */
  readonly truncated: boolean;
}

/** How many bytes of a response body are stored. */
export const bodyHeadBytes = 1_024;

/** Sends deliveries. */
export interface Transport {
  /** The addresses that it may connect to; registrations are checked by the same policy. */
  readonly network: NetworkPolicy;
  /** The longest duration of an attempt, in milliseconds. */
  readonly maxAttemptMs: number;
  /** Called when the service starts. Rejects if nothing can be sent, such as with a package that is not installed. */
  start?(): Promise<void>;
  /** Makes one attempt, follows no redirects and never rejects. */
  send(request: TransportRequest): Promise<AttemptResult>;
  /** Aborts running attempts with `ABORTED` and closes all connections. */
  close(): Promise<void>;
}
