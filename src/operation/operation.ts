import type { Action } from "../auth/authorize.js";
import type { AuthRequest } from "../auth/verifier.js";
import type { JsonLimits } from "../http/json.js";
import type { HttpResponse } from "../http/message.js";
import type { ProblemCode } from "../problem/index.js";
import type { Context } from "./context.js";

export type Method = "GET" | "QUERY" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A body that was taken as it came, and is kept somewhere until its operation has decided what becomes of it. */
export interface ReceivedBody {
  /** The same for the same body. */
  readonly fingerprint: string;
  /** Lets go of what the operation did not keep. Must not reject. */
  release(): Promise<void>;
}

/** How the body of an operation is taken. */
export interface BodyRule {
  /** Whether a media type (lower case, without parameters) is taken. */
  accepts(mediaType: string): boolean;
  /** What is said to a client that sent another. */
  readonly supported: readonly string[];
  readonly limitBytes: number;
  /** Values of a JSON body, where they are not the usual number. */
  readonly limitValues?: number | undefined;
  /** The code for a body over the limit, where it is not the usual one. */
  readonly tooLarge?: ProblemCode | undefined;
  /** There may be no body. */
  readonly optional?: true | undefined;
  /** How JSON is parsed, and how a value is checked that a host has parsed, where neither is done as usual. */
  readonly json?: { parse(bytes: Uint8Array, limits: JsonLimits): unknown; check(value: unknown, limits: JsonLimits): unknown } | undefined;
  /** Charsets besides UTF-8. */
  readonly charsets?: readonly string[] | undefined;
  /** Content codings besides none. */
  readonly codings?: readonly string[] | undefined;
  /** The operation judges the headers of the body itself: what they say of it depends on others. */
  readonly judgesItself?: true | undefined;
  /**
   * Takes the body as it comes instead of reading it into memory.
   *
   * @param context without a body
   */
  readonly receive?: ((context: Context) => Promise<ReceivedBody>) | undefined;
  /** Reads what is no JSON. */
  readonly read?: ((bytes: Uint8Array, contentType: string) => unknown) | undefined;
}

/** What is asked of `authorize`; where the collection is not known before the body, the operation asks itself. */
export interface Access {
  readonly action: Action;
  readonly collection: string | undefined;
}

/** One thing a client can ask for. Operations are data: the router, OPTIONS, `Allow` and the documents are made from them. */
export interface Operation {
  /** `users.create` */
  readonly name: string;
  readonly method: Method;
  /** RFC 9110 §9.2: `idempotent` means idempotent but not safe. */
  readonly safety: "safe" | "idempotent" | "unsafe";
  /** What is asked of `authorize` before the body is read; absent for operations that are open to everyone. */
  readonly access?: Access | undefined;
  /**
   * Whether a request comes with a signed address in place of credentials. Nobody is asked for any then, and the operation has to verify the signature
   * itself.
   */
  isSigned?(request: AuthRequest): boolean;
  /** Open to everyone, and still not to be run before the service has started. */
  readonly usesStorage?: true | undefined;
  /** Cannot be one of the operations of a batch. */
  readonly standsAlone?: true | undefined;
  /** Request headers that its answers depend on, besides those of credentials. */
  readonly vary?: string | undefined;
  /** Has effects that no transaction takes back. */
  readonly hasOwnEffects?: true | undefined;
  /** The answer holds a secret: where it is kept for a repeated request, it is sealed. */
  readonly secretAnswer?: true | undefined;
  /** How long a try under an Idempotency-Key may take, and how long its answer is kept, where it is not the usual time. */
  readonly keyTimes?: ((context: Context) => { readonly leaseMs?: number | undefined; readonly ttlMs?: number | undefined }) | undefined;
  /** Not done without an Idempotency-Key. */
  readonly requiresKey?: boolean | undefined;
  /** Absent where a body is ignored. */
  readonly body?: BodyRule | undefined;
  run(context: Context): Promise<HttpResponse>;
}
