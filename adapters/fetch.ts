import type { Handle, HttpResponse } from "../src/http/message.js";
import { splitTarget } from "../src/http/target.js";
import { optionsCheck, strict } from "../src/options/index.js";
import { fetchBody, fetchRequest, responseBody } from "./fetchMessage.js";
import { notFound } from "./notFound.js";
import { mountSchema, placeBelowPrefix } from "./place.js";
import { wireResponse } from "./response.js";

export interface FetchOptions {
  /** Prefix of every path, e.g. `/v1`; paths outside it get a 404. */
  readonly mount?: string | undefined;
}

const check = optionsCheck("fetchHandler", () => strict<FetchOptions>({ mount: mountSchema() }));

/**
 * A handler for hosts that use `Request` and `Response`.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * export default { fetch: fetchHandler(service, { mount: "/v1" }) };
 */
export function fetchHandler(service: { readonly handle: Handle }, options: FetchOptions = {}): (request: Request) => Promise<Response> {
  check(options);
  const { mount = "" } = options;
  return async (native) => {
    const place = placeBelowPrefix(native.url, mount);
    const request = fetchRequest(native, place ?? { ...splitTarget(native.url), mount: "" }, fetchBody(native), native);
    const response = (place && (await service.handle(request))) ?? notFound(request);
    return fetchResponse(wireResponse(request.method, response));
  };
}

function fetchResponse({ status, headers, body }: HttpResponse): Response {
  const lines = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of [value].flat()) {
      lines.append(name, line);
    }
  }
  return new Response(responseBody(body), { status, headers: lines });
}
