import { fetchBody, fetchRequest, fetchResponse } from "../src/ground/http/fetchMessage.js";
import type { Handle } from "../src/ground/http/message.js";
import { splitTarget } from "../src/ground/http/target.js";
import { wireResponse } from "../src/ground/http/wireResponse.js";
import { optionsCheck, strict } from "../src/ground/options/index.js";
import { watchAnswer } from "./hosts/answerWatch.js";
import { mountSchema, targetBelowPrefix } from "./hosts/mountedTarget.js";
import { nodeBindings } from "./hosts/nodeBindings.js";
import { notFound } from "./hosts/notFound.js";

export interface FetchOptions {
  /** Prefix of every path, e.g. `/v1`; paths outside it get a 404. */
  readonly mount?: string | undefined;
}

const check = /* @__PURE__ */ optionsCheck("fetchHandler", () => strict<FetchOptions>({ mount: mountSchema() }));

/**
 * A handler for hosts that use `Request` and `Response`. As a second argument it takes what `@hono/node-server` passes beside the request, to see how its client reads.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * export default { fetch: fetchHandler(service, { mount: "/v1" }) };
 */
export function fetchHandler(
  service: { readonly handle: Handle },
  options: FetchOptions = {},
): (request: Request, bindings?: unknown) => Promise<Response> {
  check(options);
  const { mount = "" } = options;
  return async (native, bindings) => {
    const target = targetBelowPrefix(native.url, mount);
    const request = fetchRequest(native, target ?? { ...splitTarget(native.url), mount: "" }, fetchBody(native), native);
    const response = (target && (await service.handle(request))) ?? notFound(request);
    const wired = wireResponse(request.method, response);
    const { outgoing } = nodeBindings(bindings);
    return fetchResponse(outgoing === undefined ? wired : watchAnswer(outgoing, wired));
  };
}
