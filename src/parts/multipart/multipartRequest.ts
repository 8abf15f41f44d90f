import type { IncomingMessage } from "node:http";
import { IncomingChunks } from "../../ground/http/body/incomingChunks.js";
import { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { RawHeaders, RequestBody } from "../../ground/http/message.js";
import { quoteValue } from "../../ground/problem/quote.js";
import type { FormMessage, HeaderLookup } from "./announcedForm.js";

/** Headers and an unread body, in any supported shape. */
export interface MultipartMessage {
  /** By name, case-insensitive; or as a list: name, value, name, value … */
  readonly headers: HeaderLookup | RawHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Unread chunks; `null` without a body. */
  readonly body: RequestBody | AsyncIterable<Uint8Array> | null;
}

/**
 * A request with a form: an `HttpRequest`, Node's `IncomingMessage` (so Express's request and Koa's `ctx.req`), a WHATWG `Request`, or anything else with headers and
 * a body. The body of an `IncomingMessage` is never destroyed, so that the response can be written: unread bytes are dropped as they arrive. To stop them,
 * answer with `connection: close`.
 */
export type MultipartRequest = MultipartMessage | IncomingMessage;

/**
 * The headers and the body of a request in any shape.
 *
 * @throws {TypeError} if the argument is not a request
 */
export function messageOf(request: MultipartRequest): FormMessage {
  return { headers: headersOf(request), body: bodyOf(request) };
}

function headersOf(request: MultipartRequest): HeaderLookup {
  if (typeof request !== "object" || request === null || !("headers" in request) || !("body" in request || isIncoming(request)))
    throw new TypeError(`A form is read from a request with headers and a body; got ${quoteValue(request)}.`);
  if (isIncoming(request)) return new RequestHeaders(request.rawHeaders);
  const { headers } = request;
  if (isRaw(headers)) return new RequestHeaders(headers);
  if (isLookup(headers)) return headers;
  return new RequestHeaders(Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((each) => [name, each])));
}

function bodyOf(request: MultipartRequest): RequestBody {
  // After an early end the rest is still read and dropped, as Node does with unread bodies: otherwise the connection never closes.
  if (isIncoming(request)) return { kind: "stream", stream: new IncomingChunks(request, { dropsRest: true, isOwn: true }) };
  const { body } = request;
  if (body === null) return { kind: "none" };
  if (!("kind" in body || Symbol.asyncIterator in body))
    throw new TypeError(`The body of a form must be iterated in chunks; got ${quoteValue(body)}.`);
  return "kind" in body ? body : { kind: "stream", stream: body };
}

function isIncoming(request: MultipartRequest): request is IncomingMessage {
  return "rawHeaders" in request;
}

function isRaw(headers: MultipartMessage["headers"]): headers is RawHeaders {
  return Array.isArray(headers);
}

function isLookup(headers: MultipartMessage["headers"]): headers is HeaderLookup {
  return "get" in headers && typeof headers.get === "function";
}
