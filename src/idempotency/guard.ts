import { randomUUID } from "node:crypto";
import { ClientGone } from "../http/clientGone.js";
import type { HttpResponse } from "../http/message.js";
import { readRequestId } from "../http/requestId.js";
import { ProblemError } from "../problem/index.js";
import { type GuardedRequest, readKeyed } from "./guardedRequest.js";
import { type GuardOptions, guardSettings, waitingOf } from "./guardOptions.js";
import { failureStatus, keepsStatus } from "./keepsStatus.js";
import { performOnce } from "./performOnce.js";
import { refusal } from "./refusal.js";

/** What a handler is told of its operation. */
export interface GuardedOperation {
  /** The same in every try of this operation: give it to whoever has the effect. A UUID. */
  readonly operationId: string;
}

/**
 * Answers a request: by `run`, which is called once at most, or with what the first request with its key was answered. `undefined` where the key plays
 * no part, and the host goes on by itself.
 *
 * It rejects with what `run` rejects with, and with what `principal` and `body` throw beside problems.
 */
export type Guard = (request: GuardedRequest, run: (operation: GuardedOperation) => Promise<HttpResponse>) => Promise<HttpResponse | undefined>;

/**
 * A guard for handlers that are to act once for all requests with one Idempotency-Key.
 *
 * @throws {ConfigurationError} for options that cannot be
 * @example
 * const guard = createGuard({ store: memoryIdempotency() });
 */
export function createGuard(options: GuardOptions): Guard {
  const settings = guardSettings(options);
  const waiting = waitingOf(options);
  const keeps = keepsStatus(options);
  return async (request, run) => {
    let failure: { readonly error: unknown } | undefined;
    let made: Promise<HttpResponse> | undefined;
    try {
      const keyed = await readKeyed(request, options);
      if (keyed === undefined) return undefined;
      const performance = {
        // A handler cannot run twice for one request; where its lease was lost, and nobody has finished meanwhile, its answer still stands.
        run({ operationId }: GuardedOperation) {
          made ??= Promise.resolve({ operationId })
            .then(run)
            .catch((error: unknown) => {
              failure = { error };
              throw error;
            });
          return made;
        },
        answerTo: (error: unknown) => (failureStatus(error) < 500 ? undefined : refusal(internal(error), requestIdOf(request), options.problemDocs)),
        isRefusal: (error: unknown) => failureStatus(error) < 500,
        keeps,
        warn: (error: unknown, message: string) => options.onError?.(error, message),
      };
      return await performOnce(settings, keyed, performance, waiting);
    } catch (error) {
      const problem = failure !== undefined && failure.error === error ? undefined : toProblem(error);
      if (problem === undefined) throw error;
      return refusal(problem, requestIdOf(request), options.problemDocs);
    }
  };
}

function requestIdOf({ headers }: GuardedRequest): string {
  return readRequestId(headers, randomUUID);
}

function internal(cause: unknown): ProblemError {
  return new ProblemError("INTERNAL", "The operation failed.", { cause });
}

/** `undefined` for what is the host's to answer. */
function toProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  // Nobody reads this answer; it only closes the account of the request.
  return error instanceof ClientGone
    ? new ProblemError("REQUEST_TIMEOUT", "The client went away before the body was read.", { cause: error })
    : undefined;
}
