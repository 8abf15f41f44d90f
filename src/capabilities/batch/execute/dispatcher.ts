import type { Destination, Host } from "../../../engine/capability/host.js";
import type { Environment } from "../../../engine/operation/environment.js";
import { failure } from "../../../engine/operation/faults/failure.js";
import type { Inherited } from "../../../engine/operation/references/inherited.js";
import { observerOf } from "../../../engine/operation/work/observer.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { HttpRequest, HttpResponse } from "../../../ground/http/message.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import { Retryable, Unavailable } from "../../../ground/storage/errors.js";
import { suboperationFault } from "../plan/suboperationFault.js";

/** A request within another request. */
export interface InnerRequest extends Inherited {
  readonly request: HttpRequest;
  readonly requestId: string;
}

/** Sends the operations of a batch through the service, in the same process. */
export interface Dispatcher {
  /** @returns `undefined` if no route matches the path */
  find(method: string, path: string): Destination | undefined;
  /** The collections as the version of the environment shows them. */
  resources(environment: Environment): ReadonlyMap<string, LinkedResource>;
  /** The response, problems included. In an atomic batch, rejects with every error that the client did not cause. */
  dispatch(inner: InnerRequest, isAtomic: boolean): Promise<HttpResponse>;
}

/** Operations of a batch pass through the same steps as requests, from the router on. */
export function dispatcherOf(host: Host): Dispatcher {
  return {
    find: (method, path) => host.find(method, path),
    resources: ({ version }) => host.resourcesIn(version?.name),
    async dispatch({ request, requestId, ...inherited }, isAtomic) {
      const run = () => host.run(request, requestId, inherited);
      try {
        return await (observerOf(host.environment)?.operation(request, run) ?? run());
      } catch (error) {
        // An unavailable store ends the batch. In a shared transaction, every error that the client did not cause ends it.
        if (isOfStorage(error) || (isAtomic && !isRefusal(error))) throw error;
        return failure(inherited.environment, request, requestId, error);
      }
    },
  };
}

function isOfStorage(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof Retryable;
}

/** Rejects operations that a batch cannot contain: other batches, and operations whose response is not one JSON value. */
export function standsAlone(method: string, path: string): ProblemError {
  const fault = suboperationFault("/url", `${method} ${path.slice(0, 64)} cannot be an operation of a batch; send it by itself.`);
  return new ProblemError("INVALID_BATCH", fault.detail, { errors: [fault] });
}
