import { formatHttpDate } from "../../ground/http/headers/dates.js";
import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import { parseMediaType } from "../../ground/http/headers/mediaType.js";
import type { HttpResponse, ResponseHeaders } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { BlobStat, BlobStore } from "../../ground/storage/files/blobs.js";
import { strongTag } from "../../language/conditional/etag.js";
import { checkPreconditions } from "../../language/conditional/precondition.js";
import { contentDisposition, type Disposition } from "./disposition.js";
import { matchesIfRange } from "./ifRange.js";
import { noActiveContent } from "./noActiveContent.js";
import { parseRange } from "./range.js";

/** The request for a blob, and the metadata of the response. */
export interface BlobQuestion {
  /** `GET` or `HEAD`. */
  readonly method: string;
  readonly headers: RequestHeaders;
  /** The instant of the request, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** The file name as a client sent it; without one there is only the disposition. */
  readonly filename?: string | undefined;
  /** Replaces the one of the store. */
  readonly contentType?: string | undefined;
  /** A strong tag without quotes that replaces the one of the store, e.g. the SHA-256 of the bytes. */
  readonly etag?: string | undefined;
  /** The tag that the store must have for the blob. With another tag, the blob has other bytes than the requested ones. */
  readonly storedTag?: string | undefined;
  /** Defaults to `attachment`; `inline` applies only to types that cannot run scripts. */
  readonly disposition?: Disposition | undefined;
}

/** The validators of a blob, and its length. */
interface Described {
  readonly tag: string;
  readonly lastModified: Date;
  readonly size: number;
}

/**
 * Responds with a blob: 200, 206 for one range, or 304. `undefined` if there is no complete blob, or it has other bytes. HEAD does not open the blob.
 *
 * @throws {ProblemError} PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, MALFORMED_HEADER
 * @see RFC 9110 §8.8.2.1, §13.2.2, §14
 */
export async function answerBlob(store: BlobStore, key: string, question: BlobQuestion): Promise<HttpResponse | undefined> {
  const stat = await store.stat(key);
  if (stat === undefined || stat.etag !== (question.storedTag ?? stat.etag)) return undefined;
  const { method, headers, nowMs } = question;
  // The clock of a store may be ahead of ours, and Last-Modified must not be later than the response (RFC 9110 §8.8.2.1).
  const lastModified = new Date(Math.min(stat.lastModified.getTime(), nowMs));
  const described = { tag: strongTag(question.etag ?? stat.etag), lastModified, size: stat.size };
  const validators = { etag: described.tag, "last-modified": formatHttpDate(lastModified.getTime()), "accept-ranges": "bytes" };
  const outcome = checkPreconditions({ method, headers, current: { tag: described.tag, updatedAt: lastModified } });
  if (outcome === "failed") throw preconditionFailed(described);
  if (outcome === "not-modified") return { status: 304, headers: validators, body: null };
  const range = method === "GET" && matchesIfRange(headers.get("if-range"), described) ? parseRange(headers.get("range"), stat.size) : undefined;
  if (range === "unsatisfiable") throw rangeNotSatisfiable(described);
  const { start, end } = range ?? { start: 0, end: stat.size };
  const answer: ResponseHeaders = { ...validators, ...presentation(stat, question), "content-length": String(end - start) };
  if (range !== undefined) answer["content-range"] = `bytes ${start}-${end - 1}/${stat.size}`;
  const status = range === undefined ? 200 : 206;
  if (method === "HEAD") return { status, headers: answer, body: null };
  const bytes = await store.read(key, range);
  return bytes && { status, headers: answer, body: exactBytes(bytes, end - start) };
}

/** A type that is valid in a header: the type in a store may come from elsewhere. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that prevent a browser from treating the bytes as a page of this origin; every answer of a service has `nosniff` too. */
function presentation(stat: BlobStat, { contentType = stat.contentType, filename, disposition = "attachment" }: BlobQuestion): ResponseHeaders {
  const media = contentType !== undefined && headerText.test(contentType) ? parseMediaType(contentType) : undefined;
  const isInline = disposition === "inline" && media !== undefined && mayStandInline(media.type);
  const isBareText = media?.type === "text/plain" && media.parameters["charset"] === undefined;
  return {
    "content-type":
      media === undefined || contentType === undefined ? "application/octet-stream" : contentType + (isBareText ? "; charset=utf-8" : ""),
    "content-disposition": contentDisposition(isInline ? "inline" : "attachment", filename),
    ...noActiveContent,
  };
}

function preconditionFailed({ tag }: Described): ProblemError {
  return new ProblemError("PRECONDITION_FAILED", "The file is not in the state that the request requires.", { headers: { etag: tag } });
}

function rangeNotSatisfiable({ tag, size }: Described): ProblemError {
  const detail = `The header "range" asks for bytes after the end of the file; it has ${size} bytes.`;
  return new ProblemError("RANGE_NOT_SATISFIABLE", detail, {
    errors: [{ code: "RANGE_NOT_SATISFIABLE", detail, header: "range" }],
    headers: { "content-range": `bytes */${size}`, "accept-ranges": "bytes", etag: tag },
  });
}

const images: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/**
 * Whether a browser may show a file of this type instead of saving it: images, audio, video and plain text, which cannot run scripts. SVG and HTML can.
 *
 * @param type `type/subtype` in lower case
 */
function mayStandInline(type: string): boolean {
  return images.has(type) || type === "text/plain" || type.startsWith("audio/") || type.startsWith("video/");
}

/**
 * Yields the same chunks, and fails unless they have exactly this many bytes together: the announced Content-Length must be sent, or the connection must be
 * closed.
 *
 * Ending the iteration early, or before it began, also ends the source.
 */
function exactBytes(chunks: AsyncIterable<Uint8Array>, length: number): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => exactIterator(chunks[Symbol.asyncIterator](), length) };
}

function exactIterator(below: AsyncIterator<Uint8Array>, length: number): AsyncIterator<Uint8Array> {
  let passed = 0;
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    await below.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      const result = await below.next();
      passed += result.done ? 0 : result.value.length;
      if (result.done ? passed === length : passed <= length) return result;
      await end();
      throw new Error(`The blob has ${result.done ? `${passed} bytes` : "more bytes"}; ${length} were announced.`);
    },
    return: end,
  };
}
