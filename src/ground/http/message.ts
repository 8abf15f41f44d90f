import type { Timers } from "./timers.js";

/**
 * Header lines as received: name, value, name, value …
 *
 * Node's `rawHeaders` has this shape. Hosts that only have joined values (WHATWG `Headers`) pass those; the core then reads a comma outside
 * the header's grammar as a repetition.
 */
export type RawHeaders = readonly string[];

/** The body of a request as the host has it. `parsed` is the value from a body parser that is mounted before the service. */
export type RequestBody =
  | { readonly kind: "none" }
  | {
      readonly kind: "stream";
      readonly stream: AsyncIterable<Uint8Array>;
      /** The same chunks, for a reader that keeps none of them: it may release their memory. */
      readonly ownStream?: AsyncIterable<Uint8Array> | undefined;
      /** Takes the whole body if all of it has arrived; otherwise `undefined`, and the stream still has all of it. */
      takeArrived?(): Uint8Array | undefined;
      /** The stream fails at its end if its bytes are not those that were signed. Nothing of it may be kept before. */
      readonly isSigned?: true | undefined;
    }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | {
      readonly kind: "parsed";
      readonly value: unknown;
      /** The service itself has read the value from its text, so that no integer in it has been rounded. */
      readonly isExact?: true | undefined;
    };

/** A request as every host passes it to the core: plain data, nothing decoded. */
export interface HttpRequest {
  /** As sent, e.g. `GET`. */
  readonly method: string;
  /** The path below the mount, still percent-encoded, beginning with `/`. */
  readonly path: string;
  /** The raw query string without `?`; empty if there is none. */
  readonly query: string;
  /** The prefix that the host has cut from the path, without a trailing slash: `""` or `/v1`. */
  readonly mount: string;
  readonly headers: RawHeaders;
  readonly body: RequestBody;
  /** Aborts when the client disconnects. Read it only when it is needed: hosts create it on first access. */
  readonly signal: AbortSignal;
  /** The peer's address, from the socket. */
  readonly address?: string | undefined;
  /** The host's own request object, for hooks and verifiers of the developer. */
  readonly native: unknown;
}

/** Response headers by lower-case name. A list is sent as that many lines. */
export type ResponseHeaders = Record<string, string | readonly string[]>;

/** A response body. A stream yields chunks of a sensible size (64 KiB); `null` is no body at all. */
export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array> | null;

/** How long a client may leave an answer unread. The host watches it, because it alone knows what the client has taken. */
export interface UnreadLimit {
  /** The longest time in milliseconds without a byte taken while some wait for the client. */
  readonly stallMs: number;
  readonly timers: Timers;
  /** The host calls it once, when it has disconnected the client. */
  stalled(): void;
}

/** The response of the core. `content-length` is always set if the length is known, also for HEAD. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: ResponseBody;
  /** The answer is the same for all callers who may have it: its `Vary` does not name the headers of credentials. */
  readonly isShared?: true | undefined;
  /** What ends an answer that the client does not read; `undefined` for an answer that has no such limit. */
  readonly unread?: UnreadLimit | undefined;
}

/**
 * The one function that hosts bind: a request in, a response out, or `undefined` if the service does not serve this path, so that the host continues.
 *
 * It never rejects: every failure is already a problem response.
 */
export type Handle = (request: HttpRequest) => Promise<HttpResponse | undefined>;
