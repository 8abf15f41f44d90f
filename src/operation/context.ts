import type { AuthRequest, Principal } from "../auth/verifier.js";
import type { RequestHeaders } from "../http/headers.js";
import type { HttpRequest } from "../http/message.js";
import type { JobCall } from "../jobs/handler.js";
import type { Call } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";
import type { ClaimedJob } from "../storage/jobs.js";
import type { Id } from "../storage/scalar.js";
import type { Join } from "./commit.js";
import type { Environment } from "./environment.js";
import type { ReceivedBody } from "./operation.js";
import type { Permit } from "./permit.js";

/** The rows that a path below a parent can mean: `/users/7/orders` means orders whose customerId is 7. */
export interface Scope {
  readonly filter: Filter;
  /** Values that the path gives to fields of such a row. */
  readonly values: Readonly<Record<string, Id>>;
}

/** A job under way. */
export interface RunningJob {
  readonly job: ClaimedJob;
  readonly call: JobCall;
}

/** One request on its way through an operation. */
export interface Context {
  readonly environment: Environment;
  readonly request: HttpRequest;
  readonly headers: RequestHeaders;
  readonly requestId: string;
  /** Decoded variable segments of the path, in order. */
  readonly params: readonly string[];
  readonly principal: Principal;
  /** What was allowed before the body was read. */
  readonly permit: Permit;
  /** The parsed body; `undefined` where the operation takes none. */
  readonly body: unknown;
  /** The body, where the operation took it as it came. */
  readonly received?: ReceivedBody | undefined;
  readonly authRequest: AuthRequest;
  /** Under an Idempotency-Key: the same for all requests with it, and known before their bodies. */
  readonly keyId?: string | undefined;
  /** Under an Idempotency-Key: tells this operation from every other, the same in each try. */
  readonly operationId?: string | undefined;
  /** Where the record of a key cannot commit with the rows: rows are inserted under the operation's id, which a store takes once. */
  readonly insertsUnderOperationId?: boolean | undefined;
  /** What commits with a write of this request. */
  readonly joins: readonly Join[];
  /** The job that the request goes on as; its answer is nobody's then. */
  readonly job?: RunningJob | undefined;
  /** Present below a parent's path. */
  readonly scope?: Scope | undefined;
}

/** A class for the sake of its getter: a host makes the signal when it is first asked for, and a getter on each object costs more than the rest of it. */
class ReadCall implements Call {
  readonly tenant: string | undefined;
  readonly actor: string;
  readonly #request: HttpRequest;

  constructor({ request, principal }: Context) {
    this.tenant = principal.tenant;
    this.actor = principal.id;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** What a reading call to storage carries: it ends when the client goes away. */
export function readCall(context: Context): Call {
  return new ReadCall(context);
}

/** What a writing call carries: a client that goes away does not stop a write half-way. */
export function writeCall({ principal }: Context): Call {
  return { tenant: principal.tenant, actor: principal.id };
}
