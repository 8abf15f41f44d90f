import { randomUUID } from "node:crypto";
import { ClientGone } from "../../ground/http/clientGone.js";
import { readRequestId } from "../../ground/http/headers/requestId.js";
import type { HttpResponse } from "../../ground/http/message.js";
import { ProblemError, problemDocument } from "../../ground/problem/index.js";
import { type GuardedRequest, readKeyed } from "./guardedRequest.js";
import { type GuardOptions, guardSettings, waitingOf } from "./guardOptions.js";
import { performIdempotent } from "./performIdempotent.js";

/** The operation that a handler runs in. */
export interface GuardedOperation {
  /** A UUID that is the same in every attempt of this operation: pass it to the receiver of an effect. */
  readonly operationId: string;
}

/**
 * Responds to a request: with `run`, which is called at most once, or with the response to the first request with its key. `undefined` if the key does
 * not apply, and the host continues by itself.
 *
 * It rejects with the error of `run`, and with errors of `principal` and `body` that are not problems.
 */
export type Guard = (request: GuardedRequest, run: (operation: GuardedOperation) => Promise<HttpResponse>) => Promise<HttpResponse | undefined>;

/**
 * Makes a guard for handlers that must run only once for all requests with the same Idempotency-Key.
 *
 * @throws {ConfigurationError} for invalid options
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
        // A handler cannot run twice for one request. If its lease was lost and no other attempt has finished, its response is still valid.
        run({ operationId }: GuardedOperation) {
          made ??= Promise.resolve({ operationId })
            .then(run)
            .catch((error: unknown) => {
              failure = { error };
              throw error;
            });
          return made;
        },
        remembers: true,
        answerTo: (error: unknown) => (failureStatus(error) < 500 ? undefined : refusal(internal(error), requestIdOf(request), options.problemDocs)),
        isRefusal: (error: unknown) => failureStatus(error) < 500,
        keeps,
        warn: (error: unknown, message: string) => options.onError?.(error, message),
      };
      return await performIdempotent(settings, keyed, performance, waiting);
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

/** `undefined` for errors that the host responds to. */
function toProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  // The client has disconnected; this response only completes the request's record.
  return error instanceof ClientGone
    ? new ProblemError("REQUEST_TIMEOUT", "The client disconnected before the body was read.", { cause: error })
    : undefined;
}

/** Which responses of a handler are stored: all below 400, others as the options say. */
function keepsStatus({ storesStatus, storeServerErrors = false }: GuardOptions): (status: number) => boolean {
  return (status) => status < 400 || (status < 500 ? storesStatus?.(status) === true : storeServerErrors);
}

/** The status of an error by the convention of frameworks: its `status` or `statusCode`, else 500. */
function failureStatus(error: unknown): number {
  if (typeof error !== "object" || error === null) return 500;
  const status = "status" in error ? error.status : "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : 500;
}

/**
 * The response for a problem.
 *
 * @param docs URL of the page that explains the codes.
 */
function refusal(problem: ProblemError, requestId: string, docs: string | undefined): HttpResponse {
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "content-language": "en",
      "x-request-id": requestId,
      ...problem.headers,
    },
    body: JSON.stringify(problemDocument(problem, requestId, docs)),
  };
}
