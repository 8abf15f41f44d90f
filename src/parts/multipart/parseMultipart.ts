import { optionsCheck, strict, timers } from "../../ground/options/index.js";
import { announcedForm } from "./announcedForm.js";
import { formParts, type MultipartOptions } from "./formParts.js";
import { multipartLimitShape } from "./multipartLimits.js";
import { type MultipartRequest, messageOf } from "./multipartRequest.js";
import type { Part } from "./part.js";

/** The schema of {@link MultipartOptions}. */
export const multipartSchema = () => strict<MultipartOptions>({ ...multipartLimitShape(), timers: timers() });

const check = /* @__PURE__ */ optionsCheck("parseMultipart", multipartSchema);

/**
 * Reads a `multipart/form-data` form part by part, and buffers only a few chunks.
 *
 * The body is read only as far as the reader requests it. Unread bytes of a file are dropped when the next part is requested; leaving the loop releases the body.
 * The first error ends both the loop and the file that is being read. The form is complete only after the loop has ended without an error, so do not keep its parts
 * before.
 *
 * @param options overrides of {@link defaultMultipartLimits}
 * @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE, MALFORMED_MULTIPART, MISSING_PART_NAME, UNKNOWN_CHARSET, TOTAL_TOO_LARGE, FILE_TOO_LARGE, FIELD_TOO_LARGE,
 * TOO_MANY_FILES, TOO_MANY_FIELDS, TOO_MANY_PARTS, REQUEST_TIMEOUT, INTERNAL if a body parser has already read the form
 * @throws {ClientGone} when the connection ends before the form
 * @throws {ConfigurationError} for invalid options
 * @see RFC 7578
 * @example
 * // Node's request: also Express's, and Koa's `ctx.req`
 * for await (const part of parseMultipart(incoming, { files: 1 })) {
 *   if (part.kind === "file") await pipeline(part.bytes, createWriteStream(temporaryPath));
 *   else fields.push(part);
 * }
 * @example
 * // a WHATWG Request
 * for await (const part of parseMultipart(request)) console.log(part.kind, part.name);
 * @example
 * // an operation of this library, or anything else with headers and a body
 * for await (const part of parseMultipart({ headers: context.headers, body: context.request.body })) …
 * for await (const part of parseMultipart({ headers: { "content-type": contentType }, body: chunks })) …
 */
export async function* parseMultipart(request: MultipartRequest, options: MultipartOptions = {}): AsyncGenerator<Part, void, undefined> {
  check(options);
  yield* formParts(announcedForm(messageOf(request)), options);
}
