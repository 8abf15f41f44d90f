import type { Principal } from "../auth/verifier.js";
import type { HttpRequest, HttpResponse } from "../http/message.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";

/** Where a path leads. */
export interface Destination {
  /** The same for all paths that mean the same endpoint. */
  readonly endpoint: object;
  /** `undefined` where the endpoint does not have the method. */
  readonly operation: Operation | undefined;
}

/** A request that stands in another one. */
export interface InnerRequest {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly principal: Principal;
  /** Of the transaction that it shares with the others, where the batch is atomic. */
  readonly environment: Environment;
  /** Of this operation, where the batch is done once. */
  readonly operationId: string | undefined;
}

/** Sends the operations of a batch through the service, within the process. */
export interface Dispatcher {
  /** @returns `undefined` where no path leads */
  find(method: string, path: string): Destination | undefined;
  /** The answer, problems included. In an atomic batch it rejects with whatever the client did not cause. */
  dispatch(inner: InnerRequest, isAtomic: boolean): Promise<HttpResponse>;
}
