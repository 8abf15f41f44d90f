/** What a call may set, and a client for all of its calls. */
export interface CallOptions {
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The header `Prefer`, such as `return=minimal`. */
  readonly prefer?: string | undefined;
  /** The version of the API, as `X-API-Version`. */
  readonly version?: string | undefined;
  /** The tenant, as `X-Tenant-ID`. */
  readonly tenant?: string | undefined;
  /** The languages of problems, as `Accept-Language`. */
  readonly language?: string | undefined;
  /** Ends the call, its waits and its body at once. */
  readonly signal?: AbortSignal | undefined;
  /** Time of one try, in milliseconds (30,000). Of a stream: until its headers. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes of an answer, and of a line of a stream (64 MiB). A file of an export may have more. */
  readonly maxAnswerBytes?: number | undefined;
  /** How often a call is repeated after a failure that may pass (2). */
  readonly maxRetries?: number | undefined;
  /** The longest `Retry-After` that is waited for, in milliseconds (60,000). A longer one fails at once. */
  readonly maxRetryAfterMs?: number | undefined;
}

/** What a write may set. */
export interface WriteOptions extends CallOptions {
  /** Names the write: the service does it once, however often it is sent. By default each call has one of its own. */
  readonly idempotencyKey?: string | undefined;
}

/** A write that depends on the version of its row. */
export interface GuardedOptions extends WriteOptions {
  /** A row of `get`, `create`, `update` or `replace`, or the text of an ETag: the write happens only if the row has not changed since. */
  readonly ifMatch?: string | object | undefined;
}

/** A try of a request. */
export interface SentRequest {
  /** The call: `orders.list`. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
}

/** An answer to a try. */
export interface ReceivedResponse extends SentRequest {
  readonly status: number;
  readonly headers: Headers;
}

/** An operation that the service is going to remove. */
export interface Deprecation {
  /** The call: `orders.list`. */
  readonly operation: string;
  /** The header `Deprecation`. */
  readonly deprecation: string | null | undefined;
  /** The header `Sunset`: when the operation ends. */
  readonly sunset: string | null | undefined;
  /** The header `Link`, which may name a page about it. */
  readonly link: string | null | undefined;
}

/** Options of `createClient`. */
export interface ClientOptions extends CallOptions {
  /** Address of the service, with its prefix: `https://example.com/v1`. */
  readonly baseUrl: string;
  /** Sends the requests (default: the global `fetch`). `service.fetch` answers in process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * The headers with credentials. Asked once for each request, and once more with `refused: true` after a 401; calls at the same time share the answer that is on its way.
   */
  readonly auth?: ((question: { readonly refused: boolean }) => AuthHeaders | Promise<AuthHeaders>) | undefined;
  /** Whether cookies are sent, as `credentials` of `fetch` (default: to the own origin). */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Which writes get an Idempotency-Key of their own: all (default), those by POST, or none. Without a key POST and PATCH are not repeated. */
  readonly idempotencyKeys?: "all" | "post" | false | undefined;
  /** Called before each try. It cannot change the request. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after the headers of each answer. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined;
  /** Called once for each operation whose answers say that it is deprecated. */
  readonly onDeprecated?: ((deprecation: Deprecation) => void) | undefined;
  /** The actions that are read by GET, by the names of their collections. */
  readonly reads?: Readonly<Record<string, readonly string[]>> | undefined;
}

type AuthHeaders = Readonly<Record<string, string>> | undefined;

/** The names of the options of each call. */
export const callNames = "headers prefer version tenant language signal timeoutMs maxAnswerBytes maxRetries maxRetryAfterMs ";
/** Those of a write in addition. */
export const writeNames = "idempotencyKey ";
/** Those of a write that depends on the version of its row. */
export const guardedNames = `${writeNames}ifMatch `;
/** Those of a client in addition. */
export const clientNames = "baseUrl fetch auth credentials idempotencyKeys onRequest onResponse onDeprecated reads ";

/** The values of options that are a choice. */
type Choices = Readonly<Record<string, readonly unknown[]>>;

/** Those of a client. */
export const clientChoices: Choices = { idempotencyKeys: ["all", "post", false] };

/**
 * Rejects unknown names, so that a typo cannot leave a default in force, values that are no choice, and bounds that are no numbers.
 *
 * @param allowed names besides those of each call, with a space after each
 * @throws {TypeError}
 */
export function checkOptions(place: string, options: object, allowed: string, choices: Choices = {}): void {
  const names = (callNames + allowed).trim().split(" ");
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw new TypeError(`${place} has no option "${name}", but ${names.join(", ")}.`);
    const values = choices[name];
    const isWrong = values === undefined ? /^(timeoutMs|max)/.test(name) && !(value >= 0) : !values.includes(value);
    if (value !== undefined && isWrong)
      throw new TypeError(`${place}: "${name}" is ${value}, but may be ${values?.join(", ") ?? "a number from 0"}.`);
  }
}
