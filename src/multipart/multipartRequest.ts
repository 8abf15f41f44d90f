import type { IncomingMessage } from "node:http";
import { IncomingChunks } from "../http/body/incomingChunks.js";
import { parseBoundary } from "../http/body/multipartBoundary.js";
import { alreadyRead } from "../http/body/rawBody.js";
import { RequestHeaders } from "../http/headers.js";
import { parseMediaType } from "../http/mediaType.js";
import type { RawHeaders, RequestBody } from "../http/message.js";
import { ProblemError } from "../problem/index.js";
import { quoteValue } from "../problem/quote.js";
import { malformed } from "./malformed.js";

/** Lookup of headers by name: WHATWG `Headers`, {@link RequestHeaders}. */
export interface HeaderLookup {
  get(name: Lowercase<string>): string | null | undefined;
}

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

/** A form, as announced by its headers. */
export interface AnnouncedForm {
  /** 1 to 70 characters of the RFC's alphabet. */
  readonly boundary: string;
  /** Content-Length as sent. */
  readonly contentLength: string | undefined;
  readonly body: RequestBody;
}

/**
 * Validates the headers of a form.
 *
 * @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for any other type and for a content coding, MALFORMED_MULTIPART for the boundary, REPEATED_HEADER
 * @throws {ProblemError} INTERNAL if a body parser has already parsed the body
 * @throws {TypeError} if the argument is not a request
 */
export function announcedForm(request: MultipartRequest): AnnouncedForm {
  const headers = headersOf(request);
  const contentType = headers.get("content-type") ?? undefined;
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (contentType === undefined || parseMediaType(contentType)?.type !== "multipart/form-data") throw unsupportedType(contentType);
  if (coding !== "identity") throw unsupportedCoding(coding);
  return { boundary: parseBoundary(contentType, malformed), contentLength: headers.get("content-length") ?? undefined, body: bodyOf(request) };
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
  const known: RequestBody = "kind" in body ? body : { kind: "stream", stream: body };
  if (known.kind === "parsed") throw alreadyRead("this form has no bytes left");
  return known;
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

function unsupportedType(contentType: string | undefined): ProblemError {
  const got = contentType === undefined ? "no Content-Type was sent" : `got "${contentType.slice(0, 64)}"`;
  return new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must be multipart/form-data; ${got}.`, {
    extensions: { supported: ["multipart/form-data"] },
  });
}

function unsupportedCoding(coding: string): ProblemError {
  return new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must have no content coding; got "${coding.slice(0, 64)}".`, {
    headers: { "accept-encoding": "identity" },
  });
}
