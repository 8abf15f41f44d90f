/**
 * Header lines as they came over the wire: name, value, name, value …
 *
 * Node's `rawHeaders` has this shape. Hosts that only keep joined values (WHATWG `Headers`) hand those over; the core then judges a comma outside
 * the header's grammar as a repetition.
 */
export type RawHeaders = readonly string[];

/** What the host has of a request body. `parsed` is a value that a body parser mounted before us has already made of it. */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "stream"; readonly stream: AsyncIterable<Uint8Array> }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "parsed"; readonly value: unknown };

/** A request as every host hands it to the core: plain data, nothing decoded. */
export interface HttpRequest {
  /** As sent, e.g. `GET`. */
  readonly method: string;
  /** The path below the mount, still percent-encoded, beginning with `/`. */
  readonly path: string;
  /** The query string without `?`, raw; empty where there is none. */
  readonly query: string;
  /** The prefix that the host has cut from the path, without a trailing slash: `""` or `/v1`. */
  readonly mount: string;
  readonly headers: RawHeaders;
  readonly body: RequestBody;
  /** Aborts when the client goes away. Read it only where it is needed: hosts make it on first access. */
  readonly signal: AbortSignal;
  /** The peer's address as the socket has it. */
  readonly address?: string | undefined;
  /** The host's own request object, for hooks and verifiers of the developer. */
  readonly native: unknown;
}

/** Response headers by lower-case name. A list is sent as that many lines. */
export type ResponseHeaders = Record<string, string | readonly string[]>;

/** A response body. A stream yields chunks of a sensible size (64 KiB); `null` is no body at all. */
export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array> | null;

/** What the core answers. `content-length` is always set where the length is known, also for HEAD. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: ResponseBody;
}

/**
 * The one function that hosts bind: a request in, a response out, or `undefined` where the path is none of ours and the host goes on.
 *
 * It never rejects: every failure is already a problem response.
 */
export type Handle = (request: HttpRequest) => Promise<HttpResponse | undefined>;
