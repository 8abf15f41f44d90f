import { fetchBody, fetchRequest, fetchResponse } from "../../ground/http/fetchMessage.js";
import type { Handle } from "../../ground/http/message.js";
import { readRequestId } from "../../ground/http/requestId.js";
import { splitTarget } from "../../ground/http/target.js";
import { wireResponse } from "../../ground/http/wireResponse.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { failure } from "../operation/failure.js";
import { finish } from "./pipeline/finish.js";
import { notServed } from "./pipeline/notServed.js";
import type { Pipeline } from "./pipeline/pipeline.js";

/** Answers `Request` objects with `Response` objects, without a host. */
export function fetchWith(pipeline: Pipeline, handle: Handle, isClosing: () => boolean): (request: Request) => Promise<Response> {
  return async (native) => {
    if (typeof native?.url !== "string" || native.bodyUsed) throw new ConfigurationError("service.fetch takes a Request with an unread body.");
    const request = fetchRequest(native, { ...splitTarget(native.url), mount: "" }, fetchBody(native), native);
    const response = (await handle(request)) ?? unserved();
    return fetchResponse(wireResponse(request.method, response));

    function unserved() {
      const { environment, router } = pipeline;
      const requestId = readRequestId(request.headers, environment.ids.uuid);
      return finish(pipeline, undefined, request, requestId, failure(environment, request, requestId, notServed(router, request)), isClosing());
    }
  };
}
