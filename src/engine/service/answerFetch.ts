import { fetchBody, fetchRequest, fetchResponse } from "../../ground/http/fetchMessage.js";
import { readRequestId } from "../../ground/http/headers/requestId.js";
import type { Handle, HttpRequest } from "../../ground/http/message.js";
import { splitTarget } from "../../ground/http/target.js";
import { wireResponse } from "../../ground/http/wireResponse.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { failure } from "../operation/faults/failure.js";
import { finish } from "./pipeline/finish.js";
import { notServed } from "./pipeline/notServed.js";
import type { Pipeline } from "./pipeline/pipeline.js";

/** What answers a request in process. */
interface FetchParts {
  readonly pipeline: Pipeline;
  readonly handle: Handle;
  readonly isClosing: () => boolean;
}

/** Answers a `Request` with a `Response`, without a host. */
export async function answerFetch({ pipeline, handle, isClosing }: FetchParts, native: Request): Promise<Response> {
  if (typeof native?.url !== "string" || native.bodyUsed) throw new ConfigurationError("service.fetch takes a Request with an unread body.");
  const request = requestOf(native);
  const response = (await handle(request)) ?? unserved();
  return fetchResponse(wireResponse(request.method, response));

  function unserved() {
    const { environment, router } = pipeline;
    const requestId = readRequestId(request.headers, environment.ids.uuid);
    return finish(
      pipeline,
      { match: undefined, requestId },
      request,
      failure(environment, request, requestId, notServed(router, request)),
      isClosing(),
    );
  }
}

/** A `Request` as handlers take it. */
export function requestOf(native: Request): HttpRequest {
  return fetchRequest(native, { ...splitTarget(native.url), mount: "" }, fetchBody(native), native);
}
