import { Readable } from "node:stream";
import { isStream } from "./endingBody.js";
import type { HttpResponse, ResponseBody, ResponseHeaders } from "./message.js";

/** Ends a stream that will not be read, so that its resources are released. */
export function releaseStream(body: ResponseBody): void {
  if (body instanceof Readable) {
    body.destroy();
  } else if (isStream(body)) {
    body[Symbol.asyncIterator]()
      .return?.()
      .catch(() => undefined);
  }
}

const withoutContent = new Set([204, 304]);

/**
 * The response as it may be sent: HEAD, 204 and 304 have no body, and the latter two no length or type either.
 *
 * @see RFC 9110 §9.3.2, §15.3.5, §15.4.5
 */
export function wireResponse(method: string, response: HttpResponse): HttpResponse {
  const { status, body } = response;
  const bare = withoutContent.has(status);
  if (!bare && (method !== "HEAD" || body === null)) {
    return response;
  }
  const { headers } = response;
  if (body === null && headers["content-type"] === undefined && headers["content-length"] === undefined) {
    return response;
  }
  releaseStream(body);
  return { status, headers: bare ? withoutContentHeaders(response.headers) : response.headers, body: null };
}

function withoutContentHeaders(headers: ResponseHeaders): ResponseHeaders {
  const { "content-length": _length, "content-type": _type, "transfer-encoding": _coding, ...kept } = headers;
  return kept;
}
