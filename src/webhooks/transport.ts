import type { NetworkPolicy } from "./network.js";

/** A certificate of our own that a webhook's server asks for, and its key; both PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One delivery as it goes on the wire; `host`, `content-length` and `accept-encoding` are the transport's. */
export interface TransportRequest {
  /** Checked by `checkWebhookUrl`. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the attempt with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** Why an attempt has no status, or not the one that counts. */
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
 * What came of an attempt: a `status`, or an `errorCode` where no head of a response came. Once a head came, what happens to the body after it
 * changes nothing but `truncated`.
 */
export interface AttemptResult {
  readonly status?: number | undefined;
  readonly errorCode?: TransportErrorCode | undefined;
  /** From the begin of the attempt to the head of the response, or to the failure. */
  readonly latencyMs: number;
  /** The Retry-After header, not judged. */
  readonly retryAfter?: string | undefined;
  /** The first bytes of the body as they were sent, at most `bodyHeadBytes`. */
  readonly bodyHead: Uint8Array;
  /** Whether the body went on behind `bodyHead`, or never came to its end. */
  readonly truncated: boolean;
}

/** How much of a response's body is kept. */
export const bodyHeadBytes = 1_024;

/** Sends deliveries. */
export interface Transport {
  /** Which addresses it reaches; registrations are judged by it, too. */
  readonly network: NetworkPolicy;
  /** After so many milliseconds an attempt is over, whatever the other side does. */
  readonly longestAttemptMs: number;
  /** Makes one attempt, follows no redirect and never rejects. */
  send(request: TransportRequest): Promise<AttemptResult>;
  /** Ends attempts under way with `ABORTED` and closes all connections. */
  close(): Promise<void>;
}
