import { fileName } from "../../blobs/fileName.js";
import { bodyChunks } from "../../http/bodyStream.js";
import { parseMediaType } from "../../http/mediaType.js";
import type { HttpResponse, ResponseHeaders } from "../../http/message.js";
import { atMinimumRate } from "../../http/minimumRate.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { acknowledge } from "../finish/acknowledge.js";
import { beginFinishing } from "../finish/beginFinishing.js";
import { requireClaim } from "../finish/finishUpload.js";
import { finishWithAnswer } from "../finish/finishWithAnswer.js";
import { wasUndone } from "../finish/recordAnswer.js";
import { refuseCoding } from "../plain/contentCoding.js";
import { leastRate } from "../plain/leastRate.js";
import { forget } from "../plain/receiveFile.js";
import { requireRaw, wholeBody } from "../rawBody.js";
import { createUpload, newUploadId } from "../records/create.js";
import { baseOf, expiryHeader, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, offsetOf, type Upload, type UploadData } from "../records/upload.js";
import { type Addition, appendBody, requireRoom } from "./appendBody.js";
import { parseChecksum } from "./checksum.js";
import { bytesOf, isDeferred, malformed, requireVersion } from "./headers.js";
import { HeldUpload } from "./heldUpload.js";
import { parseMetadata, type UploadMetadata } from "./metadata.js";

export const offsetStream = "application/offset+octet-stream";

/** Whether a POST means to begin an upload in pieces, and not to be the file itself. */
export function beginsResumable({ headers }: Pick<Context, "headers">): boolean {
  const names = ["tus-resumable", "upload-length", "upload-defer-length", "upload-concat"] as const;
  return names.some((name) => headers.get(name) !== undefined) || isOffsetStream(headers.get("content-type"));
}

export function isOffsetStream(contentType: string | undefined): boolean {
  return contentType !== undefined && parseMediaType(contentType)?.type === offsetStream;
}

/** Whether the request has a body, as far as its headers tell. @throws {ProblemError} MALFORMED_HEADER */
export function hasBody({ request, headers }: Pick<Context, "request" | "headers">): boolean {
  if (request.body.kind === "none") return false;
  if (request.body.kind === "bytes") return request.body.bytes.length > 0;
  const length = announcedLength(headers);
  if (length !== undefined) return length > 0;
  // In HTTP/2 a body need not be announced; who sends none names no such type.
  return headers.get("transfer-encoding") !== undefined || isOffsetStream(headers.get("content-type"));
}

/**
 * Begins an upload that comes in pieces, with the first piece where there is one.
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
    const finished = await finishWithAnswer(settings, context, upload, answer);
    return finished.response ?? (await acknowledge(settings, context, finished.upload, answer));
  } catch (error) {
    // Its client is not told where it is: nobody could go on with it.
    if (!isKept || wasUndone(error)) await forget(settings, begun);
    throw error;
  }
}

/** @throws {ProblemError} MALFORMED_HEADER, FILE_TOO_LARGE */
function wholeLength({ maximumBytes }: UploadSettings, { headers }: Context): number | undefined {
  const length = bytesOf(headers, "upload-length");
  const deferred = isDeferred(headers);
  if (deferred && length !== undefined) throw malformed("upload-defer-length", 'cannot stand beside "upload-length"');
  if (!deferred && length === undefined) throw malformed("upload-length", 'is missing; without it "upload-defer-length: 1" must stand there');
  if (length !== undefined && length > maximumBytes) throw fileTooLarge(maximumBytes);
  return length;
}

/** @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for another type, and for a content coding: offsets count the bytes as they are sent */
export function requireOffsetStream({ headers, request }: Pick<Context, "headers" | "request">): void {
  const contentType = headers.get("content-type");
  requireRaw(request);
  refuseCoding(headers);
  if (isOffsetStream(contentType)) return;
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
  // Of a piece nobody knows what it is.
  if (concat === undefined) requireClaim(settings, filename, declaredType);
  const id = newUploadId();
  // Of a length that is still to come nothing is known but how much it can be.
  const draft = await settings.drafts.begin(blobKeyOf(id), { size: length ?? settings.maximumBytes });
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

/** What clients call the name and the type of a file. */
export function announcedFile(metadata: UploadMetadata): { readonly filename: string; readonly declaredType: string | undefined } {
  const [name, type] = [
    metadata.get("filename") ?? metadata.get("name"),
    metadata.get("filetype") ?? metadata.get("type") ?? metadata.get("contentType"),
  ];
  return { filename: fileName(name ?? ""), declaredType: type === undefined || type === "" ? undefined : type.slice(0, 255) };
}

type FirstBytes = Pick<Addition, "length" | "checksum">;

async function addFirst(settings: UploadSettings, context: Context, begun: Upload, addition: FirstBytes): Promise<Upload> {
  const limits = await settings.limitsOf(context.principal);
  const held = await HeldUpload.take(settings, begun);
  try {
    return await appendBody(settings, held, { ...addition, source: bodyOf(settings, context), limits, isAcknowledged: false });
  } finally {
    await held.leave();
  }
}

/** The body as it comes; what was received of one that is silent for too long, or that drips, is kept. */
export function bodyOf(
  settings: UploadSettings,
  { request, headers, environment }: Pick<Context, "request" | "headers" | "environment">,
): AsyncIterable<Uint8Array> {
  const { limits, timers, clock } = environment;
  const limitBytes = Number.MAX_SAFE_INTEGER;
  const tooMuch = () => fileTooLarge(settings.maximumBytes);
  const chunks = wholeBody(bodyChunks(request, { limitBytes, stallMs: limits.bodyStallMs, timers, tooLarge: tooMuch }), headers);
  return atMinimumRate(chunks, { ...leastRate, now: () => clock.now() });
}

/** 201 with where the upload is. */
export function created(context: Context, upload: Upload, headers: ResponseHeaders): HttpResponse {
  const location = baseOf(context) + uploadPath(upload.record.id);
  return { status: 201, headers: { location, "cache-control": "no-store", ...expiryHeader(upload), ...headers }, body: null };
}
