import type { Context } from "../../../engine/operation/context.js";
import { bodyChunks } from "../../../ground/http/body/bodyStream.js";
import { requireRaw } from "../../../ground/http/body/rawBody.js";
import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { bodyPace } from "../../../ground/limits/bodyPace.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { fileName } from "../../../parts/blobs/fileName.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { finishWithAnswer } from "../finish/finishUpload.js";
import { beginFinishing } from "../finish/heartbeat.js";
import { wasRolledBack } from "../finish/recordAnswer.js";
import { refuseCoding } from "../plain/contentCoding.js";
import { forget } from "../plain/receiveFile.js";
import { createUpload, newUploadId } from "../records/create.js";
import { baseOf, expiryHeader, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, offsetOf, type Upload, type UploadData } from "../records/upload.js";
import { requireAcceptedClaim } from "../requireAcceptedClaim.js";
import { type AppendedBody, appendBody, requireRoom } from "./appendBody.js";
import { parseChecksum } from "./checksum.js";
import { bytesOf, isDeferred, malformed, requireVersion } from "./headers.js";
import { parseMetadata, type UploadMetadata } from "./metadata.js";
import { UploadLock } from "./uploadLock.js";

export const offsetStream = "application/offset+octet-stream";

/** Whether a POST begins a resumable upload; otherwise its body is the file. */
export function beginsResumable({ headers }: Pick<Context, "headers">): boolean {
  const names = ["tus-resumable", "upload-length", "upload-defer-length", "upload-concat"] as const;
  return names.some((name) => headers.get(name) !== undefined) || isOffsetStream(headers);
}

function isOffsetStream({ mediaType }: RequestHeaders): boolean {
  return mediaType?.type === offsetStream;
}

/** Whether the request has a body, according to its headers. @throws {ProblemError} MALFORMED_HEADER */
export function hasBody({ request, headers }: Pick<Context, "request" | "headers">): boolean {
  if (request.body.kind === "none") return false;
  if (request.body.kind === "bytes") return request.body.bytes.length > 0;
  const length = announcedLength(headers);
  if (length !== undefined) return length > 0;
  // HTTP/2 does not require Content-Length or Transfer-Encoding; this media type then indicates a body.
  return headers.get("transfer-encoding") !== undefined || isOffsetStream(headers);
}

/**
 * Begins a resumable upload, and appends the body if the request has one.
 *
 * @throws {ProblemError} TUS_VERSION_UNSUPPORTED, MALFORMED_HEADER, FILE_TOO_LARGE, TYPE_NOT_ALLOWED, QUOTA_EXCEEDED, UNSUPPORTED_MEDIA_TYPE
 */
export async function createResumable(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const { headers } = context;
  requireVersion(headers);
  const length = wholeLength(settings, context);
  const withBody = hasBody(context);
  if (withBody) requireOffsetStream(context);
  requireRoom(settings, context, { offset: 0, length });
  const checksum = parseChecksum(headers);
  const goesOn = withBody || length === 0;
  const begun = await begin(settings, context, { length, isAcknowledged: goesOn ? false : undefined });
  if (!goesOn) return created(context, begun, {});
  let isKept = false;
  const answer = (upload: Upload) => {
    isKept = true;
    return created(context, upload, withBody ? { "upload-offset": String(offsetOf(upload)) } : {});
  };
  try {
    const upload = withBody ? await addFirst(settings, context, begun, { length, checksum }) : await beginFinishing(settings, begun);
    if (upload.data.status !== "processing") return answer(upload);
    return await finishWithAnswer(settings, context, upload, answer);
  } catch (error) {
    // The client does not receive the URL of the upload, so it cannot continue it.
    if (!isKept || wasRolledBack(error)) await forget(settings, begun);
    throw error;
  }
}

/** @throws {ProblemError} MALFORMED_HEADER, FILE_TOO_LARGE */
function wholeLength({ maxBytes }: UploadSettings, { headers }: Context): number | undefined {
  const length = bytesOf(headers, "upload-length");
  const deferred = isDeferred(headers);
  if (deferred && length !== undefined) throw malformed("upload-defer-length", 'cannot stand beside "upload-length"');
  if (!deferred && length === undefined) throw malformed("upload-length", 'is missing; send it, or "upload-defer-length: 1"');
  if (length !== undefined && length > maxBytes) throw fileTooLarge(maxBytes);
  return length;
}

/** @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for another type, and for a content coding, because offsets count bytes as sent */
export function requireOffsetStream({ headers, request }: Pick<Context, "headers" | "request">): void {
  requireRaw(request);
  refuseCoding(headers);
  if (isOffsetStream(headers)) return;
  const contentType = headers.get("content-type");
  const got = contentType === undefined ? "no Content-Type was sent" : `got "${contentType.slice(0, 64)}"`;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must be ${offsetStream}; ${got}.`, { extensions: { supported: [offsetStream] } });
}

async function begin(
  settings: UploadSettings,
  context: Context,
  { length, isAcknowledged }: Pick<UploadData, "length" | "isAcknowledged">,
): Promise<Upload> {
  const { headers } = context;
  const metadata = headers.get("upload-metadata");
  const { filename, declaredType } = announcedFile(parseMetadata(metadata));
  const concat = headers.get("upload-concat");
  if (concat !== undefined && concat !== "partial") throw malformed("upload-concat", 'must be "partial", or "final;" and the uploads');
  // The type of a partial upload is unknown.
  if (concat === undefined) requireAcceptedClaim(settings, filename, declaredType);
  const id = newUploadId();
  // If the length is deferred, only its maximum is known.
  const draft = await settings.drafts.begin(blobKeyOf(id), { size: length ?? settings.maxBytes });
  const { visibility } = settings;
  const bytes = length ?? 0;
  try {
    const known = { id, kind: "resumable", status: "uploading", visibility, filename, declaredType, length, metadata, concat, draft, bytes } as const;
    return await createUpload(settings, context, { ...known, isAcknowledged });
  } catch (error) {
    await settings.blobs.delete(blobKeyOf(id)).catch(() => {});
    throw error;
  }
}

/** Reads the file name and type under the metadata keys that clients use. */
export function announcedFile(metadata: UploadMetadata): { readonly filename: string; readonly declaredType: string | undefined } {
  const [name, type] = [
    metadata.get("filename") ?? metadata.get("name"),
    metadata.get("filetype") ?? metadata.get("type") ?? metadata.get("contentType"),
  ];
  return { filename: fileName(name ?? ""), declaredType: type === undefined || type === "" ? undefined : type.slice(0, 255) };
}

type FirstBytes = Pick<AppendedBody, "length" | "checksum">;

async function addFirst(settings: UploadSettings, context: Context, begun: Upload, addition: FirstBytes): Promise<Upload> {
  const limits = await settings.limitsOf(context.principal);
  const lock = await UploadLock.acquire(settings, begun);
  try {
    return await appendBody(settings, lock, { ...addition, ...bodyOf(settings, context), limits, isAcknowledged: false });
  } finally {
    await lock.release();
  }
}

/** The body of the request. It times out if the client sends nothing for too long, or too slowly; the received bytes are kept. */
export function bodyOf(
  settings: UploadSettings,
  { request, headers, environment }: Pick<Context, "request" | "headers" | "environment">,
): Pick<AppendedBody, "chunks" | "isSigned"> {
  const { limits, timers } = environment;
  const limitBytes = Number.MAX_SAFE_INTEGER;
  const tooMuch = () => fileTooLarge(settings.maxBytes);
  const options = { limitBytes, ...bodyPace(limits), timers, tooLarge: tooMuch, announced: headers.get("content-length") };
  return {
    chunks: (signal) => bodyChunks(request, { ...options, signal }),
    isSigned: request.body.kind === "stream" && request.body.isSigned === true,
  };
}

/** 201 with the Location of the upload. */
export function created(context: Context, upload: Upload, headers: ResponseHeaders): HttpResponse {
  const location = baseOf(context) + uploadPath(upload.record.id);
  return { status: 201, headers: { location, "cache-control": "no-store", ...expiryHeader(upload), ...headers }, body: null };
}
