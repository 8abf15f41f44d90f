import { strongTag } from "../conditional/etag.js";
import { checkPreconditions } from "../conditional/precondition.js";
import { formatHttpDate } from "../http/dates.js";
import type { RequestHeaders } from "../http/headers.js";
import { parseMediaType } from "../http/mediaType.js";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import { ProblemError } from "../problem/index.js";
import type { BlobStat, BlobStore } from "../storage/blobs.js";
import { contentDisposition, type Disposition } from "./disposition.js";
import { exactBytes } from "./exactBytes.js";
import { matchesIfRange } from "./ifRange.js";
import { mayStandInline } from "./mayStandInline.js";
import { parseRange } from "./range.js";

/** Who asks for a blob, and as what it is answered. */
export interface BlobQuestion {
  /** `GET` or `HEAD`. */
  readonly method: string;
  readonly headers: RequestHeaders;
  /** When it is asked, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** As a client sent it; without one there is only the disposition. */
  readonly filename?: string | undefined;
  /** In place of the one that the store has. */
  readonly contentType?: string | undefined;
  /** Strong, without quotes, in place of the one that the store has, e.g. the SHA-256 of the bytes. */
  readonly etag?: string | undefined;
  /** The tag that the store must have for the blob: under another one it has other bytes than those that are asked for. */
  readonly storedTag?: string | undefined;
  /** `attachment` unless given; `inline` is kept to types that run no script. */
  readonly disposition?: Disposition | undefined;
}

/** The validators of a blob, and its length. */
interface Described {
  readonly tag: string;
  readonly lastModified: Date;
  readonly size: number;
}

/**
 * Answers with a blob: 200, 206 for one range, 304. `undefined` where there is no whole blob, or other bytes. HEAD opens nothing.
 *
 * @throws {ProblemError} PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, MALFORMED_HEADER
 * @see RFC 9110 §8.8.2.1, §13.2.2, §14
 */
export async function answerBlob(store: BlobStore, key: string, question: BlobQuestion): Promise<HttpResponse | undefined> {
  const stat = await store.stat(key);
  if (stat === undefined || stat.etag !== (question.storedTag ?? stat.etag)) return undefined;
  const { method, headers, nowMs } = question;
  // The clock of a store may be ahead of ours, and no answer may say that something changed after it (RFC 9110 §8.8.2.1).
  const lastModified = new Date(Math.min(stat.lastModified.getTime(), nowMs));
  const described = { tag: strongTag(question.etag ?? stat.etag), lastModified, size: stat.size };
  const validators = { etag: described.tag, "last-modified": formatHttpDate(lastModified.getTime()), "accept-ranges": "bytes" };
  const judged = checkPreconditions({ method, headers, current: { tag: described.tag, updatedAt: lastModified } });
  if (judged === "failed") throw preconditionFailed(described);
  if (judged === "not-modified") return { status: 304, headers: validators, body: null };
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

/** What a header may carry: what a store has of a type may have come from elsewhere. */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What a browser makes of the bytes: nothing that could act as a page of this origin. */
function presentation(stat: BlobStat, { contentType = stat.contentType, filename, disposition = "attachment" }: BlobQuestion): ResponseHeaders {
  const media = contentType !== undefined && headerText.test(contentType) ? parseMediaType(contentType) : undefined;
  const isInline = disposition === "inline" && media !== undefined && mayStandInline(media.type);
  const isBareText = media?.type === "text/plain" && media.parameters["charset"] === undefined;
  return {
    "content-type":
      media === undefined || contentType === undefined ? "application/octet-stream" : contentType + (isBareText ? "; charset=utf-8" : ""),
    "content-disposition": contentDisposition(isInline ? "inline" : "attachment", filename),
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
  };
}

function preconditionFailed({ tag }: Described): ProblemError {
  return new ProblemError("PRECONDITION_FAILED", "The file is not in the state that the request asks for.", { headers: { etag: tag } });
}

function rangeNotSatisfiable({ tag, size }: Described): ProblemError {
  const detail = `The header "range" asks for bytes behind the end of the file; it has ${size} bytes.`;
  return new ProblemError("RANGE_NOT_SATISFIABLE", detail, {
    errors: [{ code: "RANGE_NOT_SATISFIABLE", detail, header: "range" }],
    headers: { "content-range": `bytes */${size}`, "accept-ranges": "bytes", etag: tag },
  });
}
