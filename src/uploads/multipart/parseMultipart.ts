import { bodyChunks } from "../../http/bodyStream.js";
import { atMinimumRate } from "../../http/minimumRate.js";
import { systemTimers, type Timers } from "../../http/timers.js";
import { type Clock, systemClock } from "../../operation/clock.js";
import { FormReading } from "./formReading.js";
import { formTooLarge } from "./formTally.js";
import { type MultipartLimits, multipartLimits } from "./multipartLimits.js";
import { announcedForm, type MultipartRequest } from "./multipartRequest.js";
import type { Part } from "./part.js";

/** Limits other than the defaults, and where the time comes from. */
export type MultipartOptions = { readonly [name in keyof MultipartLimits]?: number | undefined } & {
  readonly timers?: Timers | undefined;
  readonly clock?: Clock | undefined;
};

/** How long a client may be slow. */
const slowMs = 60_000;

/**
 * Reads a form of type `multipart/form-data` part by part, without holding more of it than a few chunks.
 *
 * The body is read at the pace of the reader, and no further than is asked for. What is not read of a file is dropped when the next part is asked for; leaving the
 * loop lets go of the body. The first error ends everything: the loop ends in it, and so does the file that is being read. A form is whole when the loop has ended
 * without one, so keep nothing before.
 *
 * @param options limits that differ from {@link defaultMultipartLimits}
 * @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE, MALFORMED_MULTIPART, MISSING_PART_NAME, UNKNOWN_CHARSET, TOTAL_TOO_LARGE, FILE_TOO_LARGE, FIELD_TOO_LARGE,
 * TOO_MANY_FILES, TOO_MANY_FIELDS, TOO_MANY_PARTS, REQUEST_TIMEOUT, INTERNAL where a body parser has read the form before
 * @throws {ClientGone} when the connection ends before the form
 * @throws {RangeError} for a limit that is none
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
  const { timers = systemTimers, clock = systemClock, ...changes } = options;
  const limits = multipartLimits(changes);
  const { boundary, contentLength, body } = announcedForm(request);
  const { requestBytes, stallMs, bytesPerSecond } = limits;
  if (Number(contentLength) > requestBytes) throw formTooLarge(requestBytes);
  const sent = bodyChunks({ body }, { limitBytes: requestBytes, stallMs, timers, tooLarge: formTooLarge });
  const chunks = atMinimumRate(sent, { bytesPerSecond, afterMs: slowMs, now: () => clock.now() });
  const reading = new FormReading(chunks, { boundary, contentLength }, limits);
  try {
    for (let part = await reading.next(); part !== undefined; part = await reading.next()) yield part;
  } finally {
    reading.close();
  }
}
