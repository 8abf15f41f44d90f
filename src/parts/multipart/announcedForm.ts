import { parseBoundary } from "../../ground/http/body/multipartBoundary.js";
import { alreadyRead } from "../../ground/http/body/rawBody.js";
import { parseMediaType } from "../../ground/http/headers/mediaType.js";
import type { RequestBody } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import { malformed } from "./malformed.js";

/** Lookup of headers by name: WHATWG `Headers`, `RequestHeaders`. */
export interface HeaderLookup {
  get(name: Lowercase<string>): string | null | undefined;
}

/** Headers and an unread body. */
export interface FormMessage {
  readonly headers: HeaderLookup;
  readonly body: RequestBody;
}

/** A form, as announced by its headers. */
export interface AnnouncedForm {
  /** 1 to 70 characters of the RFC's alphabet. */
  readonly boundary: string;
  /** Content-Length as sent. */
  readonly contentLength?: string | undefined;
  readonly body: RequestBody;
}

/**
 * Validates the headers of a form.
 *
 * @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for any other type and for a content coding, MALFORMED_MULTIPART for the boundary, REPEATED_HEADER
 * @throws {ProblemError} INTERNAL if a body parser has already parsed the body
 */
export function announcedForm({ headers, body }: FormMessage): AnnouncedForm {
  const contentType = headers.get("content-type") ?? undefined;
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (contentType === undefined || parseMediaType(contentType)?.type !== "multipart/form-data") throw unsupportedType(contentType);
  if (coding !== "identity") throw unsupportedCoding(coding);
  const boundary = parseBoundary(contentType, malformed);
  if (body.kind === "parsed") throw alreadyRead("this form has no bytes left");
  return { boundary, contentLength: headers.get("content-length") ?? undefined, body };
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
