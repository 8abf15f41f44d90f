import { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { HttpRequest, RequestBody } from "../../ground/http/message.js";
import type { Action } from "../../parts/auth/authorize.js";
import type { AuthRequest, Principal } from "../../parts/auth/verifier.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { Offers } from "../operation/offers.js";
import { permit } from "../operation/permit.js";
import type { Scopes } from "../operation/rules/scopes.js";
import type { RowLock } from "../operation/transaction/lockedRows.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { readingEnvironment } from "./readingEnvironment.js";

/** On whose behalf calls are made, and where. */
export interface Caller {
  readonly principal: Principal;
  /** Whether the developer's own code acts without the rules for principals. */
  readonly isSystem?: true | undefined;
  /** Whether the calls are made within a transaction. */
  readonly isInTransaction: boolean;
  /** The id of all calls of a transaction, in each attempt; other calls get ids of their own. */
  readonly requestId?: string | undefined;
  /** Available after the service has started. */
  readonly environment: Environment;
  /** What the capabilities of the service offer. */
  readonly offers: Offers;
  /** The scopes and stamps that were asked for before the transaction of these calls. */
  readonly scopes?: Scopes | undefined;
  /** The collections in the form that this caller sees. */
  readonly resources: ReadonlyMap<string, LinkedResource>;
  /** Makes the id of the next write within a transaction; see `itemId` of the context. */
  readonly nextId?: (() => string) | undefined;
  /** Notes what a call does in its transaction. */
  note?(what: "reads" | "locks" | "writes"): void;
  /** Begins a call; the returned function ends it. @throws {ProblemError} SHUTTING_DOWN */
  begin(): Promise<() => void>;
  /** The error that a call rejects with. */
  fault(error: unknown): unknown;
}

/** Runs one call. */
export async function runCall<R>(caller: Caller, run: () => Promise<R>): Promise<R> {
  const end = await caller.begin();
  try {
    return await run();
  } catch (error) {
    throw caller.fault(error);
  } finally {
    end();
  }
}

/** What a call brings to its operation. */
export interface CallParts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly action: Action;
  readonly collection: string;
  readonly ifMatch?: string | undefined;
  readonly operationId?: string | undefined;
  /** Of rows that a call reads in a transaction. */
  readonly lock?: RowLock | undefined;
}

/**
 * The context of a call: that of a request that has passed the pipeline.
 *
 * @throws {ProblemError} FORBIDDEN @throws {ConfigurationError} for a lock that cannot be had
 */
export async function callContext(caller: Caller, parts: CallParts): Promise<Context> {
  const { principal, isSystem, requestId, scopes, nextId } = caller;
  const { method, action, collection, ifMatch, operationId, lock } = parts;
  caller.note?.(method !== "GET" ? "writes" : lock === undefined ? "reads" : "locks");
  const environment = method === "GET" ? readingEnvironment(caller, parts) : caller.environment;
  const request = new CallRequest(method, ifMatch === undefined ? [] : ["if-match", ifMatch]);
  const headers = new RequestHeaders(request.headers);
  const authRequest: AuthRequest = { method, target: "", path: "", query: "", headers, rawHeaders: request.headers, native: undefined };
  const allowed = environment.authorize === undefined ? everything : await permit(environment, { principal, authRequest, action, collection });
  return {
    environment,
    request,
    headers,
    requestId: requestId ?? environment.ids.uuid(),
    params: [],
    principal,
    isSystem,
    way: "code",
    scopes: scopes ?? environment.scopesOf(principal),
    permit: allowed,
    body: undefined,
    authRequest,
    // Code needs no Idempotency-Key: it has operation ids.
    isKeyed: true,
    operationId,
    itemId: method === "GET" ? undefined : nextId?.(),
    insertsUnderOperationId: operationId !== undefined,
    joins: [],
  };
}

const everything = { fields: undefined };

/** Stands for the request that a call does not have. A class because of its getter: most calls never use the signal. */
class CallRequest implements HttpRequest {
  readonly path = "";
  readonly query = "";
  readonly mount = "";
  readonly body: RequestBody = { kind: "none" };
  readonly native = undefined;
  readonly method: string;
  readonly headers: readonly string[];
  #signal: AbortSignal | undefined;

  constructor(method: string, headers: readonly string[]) {
    this.method = method;
    this.headers = headers;
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }
}
