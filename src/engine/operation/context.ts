import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { HttpRequest } from "../../ground/http/message.js";
import type { Call } from "../../ground/storage/collection.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { AuthRequest, Principal } from "../../parts/auth/verifier.js";
import type { AnswerFormat } from "./answers/answerFormat.js";
import type { RequestCount } from "./answers/requestCount.js";
import type { Environment } from "./environment.js";
import type { ReceivedBody } from "./operation.js";
import type { Permit } from "./permit.js";
import type { Scopes } from "./rules/scopes.js";
import type { ShownRows } from "./rules/shownRows.js";
import type { RunningJob } from "./work/runningJob.js";
import type { Join } from "./write/commit.js";

/** The rows that a path below a parent selects: `/users/7/orders` selects the orders whose customerId is 7. */
export interface PathScope {
  readonly filter: Filter;
  /** Values that the path sets in a new row. */
  readonly values: Readonly<Record<string, Id>>;
}

/** How a write came about: a request, a batch, an import, a call from code, or an action of the developer. */
export type Way = "http" | "batch" | "import" | "code" | "action";

/** The state of one request while its operation runs. */
export interface Context {
  readonly environment: Environment;
  readonly request: HttpRequest;
  readonly headers: RequestHeaders;
  readonly requestId: string;
  /** Decoded variable segments of the path, in order. */
  readonly params: readonly string[];
  readonly principal: Principal;
  /** Whether the developer's own code acts without the rules for principals. */
  readonly isSystem?: true | undefined;
  /** How its writes come about; `http` if absent. */
  readonly way?: Way | undefined;
  /** The action that writes: scopes are asked for it in place of `update`. */
  readonly actionName?: string | undefined;
  /** The scopes and stamps of the operation; `undefined` if no collection has any, and for the system, which may use all rows. */
  readonly scopes: Scopes | undefined;
  /** Collects the rows that the answer shows, if the answer is stored under an Idempotency-Key. */
  readonly shown?: ShownRows | undefined;
  /** The permit that was granted before the body was read. */
  readonly permit: Permit;
  /** The value that the operation's `readQuery` returned. */
  readonly query?: unknown;
  /** The format of the answer; `undefined` for JSON. */
  readonly format?: AnswerFormat | undefined;
  /** The parsed body; `undefined` if the operation does not take a body. */
  readonly body: unknown;
  /** The body, if the operation received it as a stream. */
  readonly received?: ReceivedBody | undefined;
  readonly authRequest: AuthRequest;
  /** Identifies the Idempotency-Key: the same for all requests with that key, and known before the body is read. */
  readonly keyId?: string | undefined;
  /** Whether the request, or the batch that contains it, has an Idempotency-Key. */
  readonly isKeyed?: boolean | undefined;
  /** Unique id of this operation under an Idempotency-Key; each attempt has the same id. */
  readonly operationId?: string | undefined;
  /** Unique id of this operation within the batch, rule or transaction that contains it; each attempt has the same id. */
  readonly itemId?: string | undefined;
  /** Set if the record of a key cannot commit with the rows. Rows are then inserted under the operation's id, which a store accepts only once. */
  readonly insertsUnderOperationId?: boolean | undefined;
  /** Counts the items of a batch against the rate limits; absent if there are none, and for a job, which was counted when it was submitted. */
  readonly count?: RequestCount | undefined;
  /** Work that commits in the same transaction as the write of this request. */
  readonly joins: readonly Join[];
  /** The job that runs this request; its answer is then discarded. */
  readonly job?: RunningJob | undefined;
  /** Present if the path is below a parent. */
  readonly pathScope?: PathScope | undefined;
}

/** A class because of its getter: the host creates the signal on first access, and a getter on an object literal is much slower to create. */
class ReadCall implements Call {
  readonly tenant: string | undefined;
  readonly actor: string;
  readonly budgetMs: number;
  readonly #request: HttpRequest;

  constructor({ environment, request, principal }: Context) {
    this.budgetMs = environment.limits.queryMs;
    this.tenant = principal.tenant;
    this.actor = principal.id;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** The call options of a read: it is aborted when the client disconnects. */
export function readCall(context: Context): Call {
  return new ReadCall(context);
}

/** The call options of a write, and of a read that belongs to a write: it is not aborted when the client disconnects. */
export function writeCall({ environment, principal }: Context): Call {
  return { tenant: principal.tenant, actor: principal.id, budgetMs: environment.limits.queryMs };
}
