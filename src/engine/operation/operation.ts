import type { z } from "zod";
import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { JsonLimits } from "../../ground/http/json/checkJson.js";
import type { HttpResponse } from "../../ground/http/message.js";
import type { ProblemCode } from "../../ground/problem/index.js";
import type { Secrets } from "../../ground/secrets/secrets.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";
import type { FieldModel } from "../../language/schema/field.js";
import type { Action } from "../../parts/auth/authorize.js";
import type { AuthRequest, Verifier } from "../../parts/auth/verifier.js";
import type { AnswerFormat } from "./answers/answerFormat.js";
import type { Context } from "./context.js";
import type { OperationDescription } from "./description.js";

export type Method = "GET" | "QUERY" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A body that was received as a stream and stored until its operation decides whether to keep it. */
export interface ReceivedBody {
  /** Equal bodies have equal fingerprints. */
  readonly fingerprint: string;
  /** Removes the stored body unless the operation kept it. Must not reject. */
  release(): Promise<void>;
}

/** How the body of an operation is checked and read. */
export interface BodyRule {
  /** Whether a media type (lower case, without parameters) is accepted. */
  accepts(mediaType: string): boolean;
  /** The accepted media types, for the error message. */
  readonly supported: readonly string[];
  readonly limitBytes: number;
  /** Maximum number of values in a JSON body, if it differs from the default. */
  readonly limitValues?: number | undefined;
  /** The problem code for a body over the limit, if it differs from the default. */
  readonly tooLarge?: ProblemCode | undefined;
  /** Whether the body may be missing. */
  readonly optional?: true | undefined;
  /** Replaces the default JSON parser, and the default check of a value that the host has parsed. */
  readonly json?: { parse(bytes: Uint8Array, limits: JsonLimits): unknown; check(value: unknown, limits: JsonLimits): unknown } | undefined;
  /** Charsets accepted in addition to UTF-8. */
  readonly charsets?: readonly string[] | undefined;
  /** Content codings that are accepted. */
  readonly codings?: readonly string[] | undefined;
  /** The operation checks the headers of the body itself, because their meaning depends on other headers. */
  readonly checksHeadersItself?: true | undefined;
  /**
   * Receives the body as a stream instead of reading it into memory.
   *
   * @param context without a body
   */
  readonly receive?: ((context: Context) => Promise<ReceivedBody>) | undefined;
  /** Parses a body that is not JSON. */
  readonly read?: ((bytes: Uint8Array, contentType: string) => unknown) | undefined;
  /** Reads a body that is not JSON, if the host has parsed it. */
  readonly readParsed?: ((value: unknown, contentType: string) => unknown) | undefined;
}

/** The arguments for `authorize`. If the collection is not known before the body is read, the operation calls `authorize` itself. */
export interface Access {
  readonly action: Action;
  readonly collection: string | undefined;
}

/** What an action of the developer says of itself. */
export interface DescribedAction {
  readonly on: "row" | "collection";
  readonly input?: z.ZodType | undefined;
  /** The fields of the input. */
  readonly members: readonly FieldModel[];
  /** Whether an input as a body has it is valid. */
  readonly accepts?: ((input: unknown) => boolean | Promise<boolean>) | undefined;
  readonly output?: z.ZodType | undefined;
  readonly events?: readonly string[] | undefined;
  /** Codes of its own problems, each with its status or a text if the action says one. */
  readonly problems?: readonly string[] | Readonly<Record<string, number | string>> | undefined;
}

/** Which parts a form with files has. */
export interface DescribedForm {
  /** Names of the fields (default: any). */
  readonly fields?: readonly string[] | "any" | undefined;
  /** Names of the fields with files (default: any). */
  readonly files?: readonly string[] | "any" | undefined;
  /** Names of the fields that must have a file. */
  readonly requiredFiles?: readonly string[] | undefined;
  /** How many files it may have; at least one. */
  readonly maxFiles: number;
  /** Media types of its files. */
  readonly types: readonly string[] | "any";
}

/** What is known of a request before its body is read. */
export type QueryContext = Pick<Context, "environment" | "request" | "principal" | "permit" | "authRequest">;

/** For operations that parse the query themselves as their first step. */
export function parsesQuery(): void {}

/** One method on one path. Operations are data: the router, OPTIONS, `Allow` and the API documents are derived from them. */
export interface Operation {
  /** `users.create` */
  readonly name: string;
  readonly method: Method;
  /** Whether the last variable segment of its path is a composite id: the last of `params` is then still percent-encoded, as its parts are decoded one by one. */
  readonly hasCompositeId?: boolean | undefined;
  /**
   * Whether a request may have an Idempotency-Key; by default if the method is not safe. `false` for a POST that only reads, and for operations that recognize
   * repetitions by themselves.
   */
  readonly takesKey?: boolean | undefined;
  /** The arguments for `authorize` before the body is read; absent if the operation is open to everyone. */
  readonly access?: Access | undefined;
  /**
   * What `authorize` is asked when the body is known, beside `access`: of each group at least one question. If all of a group are refused, every request is, and the OpenAPI
   * document of the caller does not have the operation.
   */
  readonly asksLater?: readonly (readonly Access[])[] | undefined;
  /** Callers without credentials may use it, even if the service refuses them elsewhere. */
  readonly allowsAnonymous?: boolean | undefined;
  /** Its answers are the same for all callers who may have them: after the checks of credentials and limits it runs for the anonymous principal. */
  readonly isShared?: true | undefined;
  /**
   * Reads the query string before the idempotency key is recorded and before the store is used. Its result is `context.query`. Without it the operation has no
   * parameters and refuses all. Use `parsesQuery` if `run` or `receive` reads the query first and refuses unknown parameters.
   *
   * @throws {ProblemError} UNKNOWN_FIELD, MALFORMED_QUERY, and the problems of its parameters
   */
  readQuery?(context: QueryContext): unknown;
  /**
   * Asks the scopes and stamps that it needs in addition to those of its `access`, so that none is asked within the transaction of a batch.
   *
   * @throws what the developer's rules throw
   */
  askRules?(asker: Pick<Context, "scopes" | "environment">): Promise<void>;
  /**
   * Whether a request has a signed URL instead of credentials. The service then does not authenticate the caller, and the operation must verify the
   * signature.
   */
  isSigned?(request: AuthRequest): boolean;
  /**
   * A scheme that no other operation has, such as a ticket in the query. It is asked first, and the verifiers of the service only if a request has no such credentials. Its principal is in its
   * tenant already.
   */
  readonly verifier?: Verifier | undefined;
  /** The operation is open to everyone, but must not run before the service has started. */
  readonly usesStorage?: true | undefined;
  /** What a request costs under a rate limit, if not 1; 0 is free. */
  readonly cost?: number | undefined;
  /** For a batch: the name of the operation that does the same with one item. */
  readonly itemName?: string | undefined;
  /** Cannot be one of the operations of a batch. */
  readonly standsAlone?: true | undefined;
  /** A POST that is meant for `X-HTTP-Method-Override: PATCH`. On every other operation a method override is 403. */
  readonly takesOverride?: true | undefined;
  /** What successful answers show: one row of the collection in `access`, or a list of rows; `other` if they are not JSON, or may be. JSON of another kind if absent. */
  readonly answers?: "row" | "list" | "other" | undefined;
  /**
   * Selects the format of an answer before the body is read; `undefined` for JSON. `formats()` adds it.
   *
   * @param json the media types of JSON that can be answered, the preferred first; defaults to `application/json`
   * @throws {ProblemError} NOT_ACCEPTABLE
   */
  selectFormat?(headers: RequestHeaders, json?: readonly string[]): AnswerFormat | undefined;
  /** Media types of its answers in addition to JSON; `formats()` adds them. */
  readonly answerTypes?: readonly string[] | undefined;
  /** What the OpenAPI document says of an operation of your own. The operations of this library are described by `openapi()`. */
  readonly description?: OperationDescription | undefined;
  /** For an operation that runs an action of the developer: what the action says of itself. */
  readonly action?: DescribedAction | undefined;
  /** For an operation that takes a form with files: its parts. */
  readonly form?: DescribedForm | undefined;
  /** Request headers that its answers depend on, in addition to those of credentials. */
  readonly vary?: string | undefined;
  /** Has effects that a transaction cannot roll back. */
  readonly hasOwnEffects?: true | undefined;
  /** The answer contains a secret: stores its records sealed. A function, so that services without secret answers do not load encryption. */
  readonly sealAnswers?: ((store: IdempotencyStore, secrets: Secrets) => IdempotencyStore) | undefined;
  /** How long an attempt under an Idempotency-Key may take, and how long its answer is kept, if they differ from the defaults. */
  readonly keyTimes?: ((context: Context) => { readonly leaseMs?: number | undefined; readonly ttlMs?: number | undefined }) | undefined;
  /** A refusal is not kept under an Idempotency-Key: its next attempt may succeed. */
  readonly forgetsRefusals?: true | undefined;
  /** Requires an Idempotency-Key. */
  readonly requiresKey?: boolean | undefined;
  /**
   * Of an operation below parents: what `run` does first, for an operation that is made of it.
   *
   * @returns the context of the operation itself, which sees only children of the innermost parent
   * @throws {ProblemError} NOT_FOUND for a parent that does not exist or may not be read
   */
  enter?(context: Context): Promise<Context>;
  /** Absent if a body is ignored, or if the operation reads it from the request itself. */
  readonly body?: BodyRule | undefined;
  /** `run` reads the body from the request as a stream. A signed body then needs its SHA-256 in a header. */
  readonly readsBody?: true | undefined;
  run(context: Context): Promise<HttpResponse>;
}

/** Methods that change nothing. @see RFC 9110 §9.2.1; for QUERY draft-ietf-httpbis-safe-method-w-body */
export function isSafe({ method }: Pick<Operation, "method">): boolean {
  return method === "GET" || method === "QUERY";
}

/** Whether a request may have an Idempotency-Key: every operation with effects that a repetition would double. */
export function takesKey(operation: Pick<Operation, "method" | "takesKey">): boolean {
  return operation.takesKey ?? !isSafe(operation);
}
