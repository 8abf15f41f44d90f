import { payloadTooLarge } from "../../../ground/http/body/body.js";
import { charsetIsUtf8, isJson, parseMediaType } from "../../../ground/http/headers/mediaType.js";
import { isToken } from "../../../ground/http/headers/token.js";
import type { JsonLimits } from "../../../ground/http/json/checkJson.js";
import { parseJson } from "../../../ground/http/json/json.js";
import { invalidBatch } from "../invalidBatch.js";
import { parsePartFields, readPartHead } from "./partHead.js";

/** A request inside a part. */
export interface HttpPart {
  /** As sent, e.g. `PATCH`. */
  readonly method: string;
  /** The request target as sent; the caller must check that it is a path of this API. */
  readonly url: string;
  /** All headers that were sent, by lower-case name; the caller selects those that apply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value; `undefined` if there is no body. */
  readonly body: unknown;
}

/** Limits of the JSON body of a part. */
export interface PartJsonLimits extends JsonLimits {
  /** Unlimited by default. */
  readonly bytes?: number | undefined;
}

const target = /^[\x21-\x7e]+$/;
const version = /^HTTP\/1\.[01]$/;

/**
 * Parses a part of type `application/http` that contains a request.
 *
 * Lenient: empty lines before the request line, a missing HTTP version (Google's examples), a missing empty line if there is no body (OData's). Line
 * breaks after a body do not belong to it. Strict: single spaces in the request line, no Transfer-Encoding, and Content-Length must match.
 *
 * @param headerBytes the most bytes of the request line and the headers
 * @throws {ProblemError} INVALID_BATCH, PAYLOAD_TOO_LARGE, and what {@link parseJson} throws
 * @see RFC 9112 §3
 * @see RFC 9112 §10.2
 */
export function parseHttpPart(bytes: Uint8Array, headerBytes: number, json: PartJsonLimits): HttpPart {
  const { lines, rest } = readPartHead(bytes.subarray(countLineBreaks(bytes, 0)), headerBytes);
  const [requestLine = "", ...headerLines] = lines;
  const { method, url } = parseRequestLine(requestLine);
  const fields = parsePartFields(headerLines);
  refuseCodings(fields);
  const body = cutBody(rest, fields.get("content-length"));
  return {
    method,
    url,
    headers: Object.fromEntries(fields),
    body: body.length === 0 ? undefined : parseBody(body, fields.get("content-type"), json),
  };
}

function parseRequestLine(line: string): Pick<HttpPart, "method" | "url"> {
  const [method = "", url = "", protocol, ...more] = line.split(" ");
  const isWhole = isToken(method) && target.test(url) && more.length === 0 && (protocol === undefined || version.test(protocol));
  if (!isWhole) throw invalidBatch(`The part must begin with a request line like "GET /path HTTP/1.1"; got "${line.slice(0, 64)}".`);
  return { method, url };
}

function refuseCodings(fields: ReadonlyMap<string, string>): void {
  if (fields.has("transfer-encoding")) throw invalidBatch("A request inside a part must not have Transfer-Encoding: the boundary ends it.");
  const coding = fields.get("content-encoding")?.toLowerCase();
  if (coding !== undefined && coding !== "identity")
    throw invalidBatch("A request inside a part must not have a Content-Encoding; compress the batch.");
}

/** The bytes of the body. Without a length these are all remaining bytes, unless they are only line breaks. */
function cutBody(rest: Uint8Array, length: string | undefined): Uint8Array {
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw invalidBatch("The Content-Length of a request inside a part is not a whole number.");
  const end = length === undefined ? 0 : Number(length);
  const isAll = end + countLineBreaks(rest, end) === rest.length;
  if (isAll) return rest.subarray(0, end);
  if (length === undefined) return rest;
  throw invalidBatch(`The Content-Length of a request inside a part is ${end}, but its body has ${rest.length} bytes.`);
}

/** The number of bytes of line breaks from `start` on. */
function countLineBreaks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1;
  return at - start;
}

function parseBody(bytes: Uint8Array, contentType: string | undefined, { bytes: limitBytes, ...json }: PartJsonLimits): unknown {
  const media = contentType === undefined ? undefined : parseMediaType(contentType);
  if (media === undefined || !isJson(media.type) || !charsetIsUtf8(media)) {
    const got = contentType === undefined ? "got none" : `got "${contentType.slice(0, 64)}"`;
    throw invalidBatch(
      `The body of a request inside a part must be JSON in UTF-8, with a Content-Type of application/json or application/*+json; ${got}.`,
    );
  }
  if (limitBytes !== undefined && bytes.length > limitBytes) throw payloadTooLarge(limitBytes);
  return parseJson(bytes, json);
}
