import type { Dispatcher } from "../batch/dispatcher.js";
import { heterogeneousOperation } from "../batch/heterogeneous.js";
import type { Environment } from "../operation/environment.js";
import type { Method } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import { Retryable, Unavailable } from "../storage/errors.js";
import { failure } from "./failure.js";
import { type Pipeline, run } from "./handle.js";
import type { ServiceOptions } from "./options.js";
import type { Route } from "./router.js";

/** The path of batches over all collections. */
export function batchRoutes({ batch, resources }: ServiceOptions, { limits }: Environment, pipelineOf: () => Pipeline): readonly Route[] {
  if (batch === false) return [];
  const idNames = new Map(resources.map(({ name, id }) => [name, id.name]));
  return [{ segments: ["batch"], operations: [heterogeneousOperation(dispatcherOf(pipelineOf), idNames, limits)] }];
}

/** Operations of a batch take the same way through the service as requests do, from the router on. */
function dispatcherOf(pipelineOf: () => Pipeline): Dispatcher {
  return {
    find(method, path) {
      const match = pipelineOf().router.match(path);
      return match && { endpoint: match.endpoint, operation: match.endpoint.operations.get(method as Method) };
    },
    async dispatch({ request, requestId, ...inherited }, isAtomic) {
      const pipeline = pipelineOf();
      try {
        return await run(pipeline, request, requestId, pipeline.router.match(request.path), inherited);
      } catch (error) {
        // A store that is down ends the batch; in a transaction that the operations share, whatever the client did not cause does.
        if (isOfStorage(error) || (isAtomic && !(error instanceof ProblemError && error.status < 500))) throw error;
        return failure(inherited.environment, request, requestId, error);
      }
    },
  };
}

function isOfStorage(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof Retryable;
}
