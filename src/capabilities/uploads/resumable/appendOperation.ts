import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { finishUpload } from "../finish/finishUpload.js";
import { expiryHeader } from "../records/document.js";
import { findUpload, isOwner, requireLiving } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { offsetOf, problemOf, type Upload } from "../records/upload.js";
import { appendBody, requireRoom, tooLarge } from "./appendBody.js";
import { parseChecksum } from "./checksum.js";
import { bodyOf, hasBody, requireOffsetStream } from "./createResumable.js";
import { bytesOf, malformed, requireVersion } from "./headers.js";
import { UploadLock } from "./uploadLock.js";

/** PATCH that appends bytes to an upload. */
export function appendOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.append",
    method: "PATCH",
    answers: "other",
    // Offsets make it safe to repeat, so an idempotency key is not needed and is ignored.
    takesKey: false,
    cost: 0,
    standsAlone: true,
    access: { action: "update", collection: "uploads" },
    readsBody: true,
    run: (context) => append(settings, context),
  };
}

/** POST with `X-HTTP-Method-Override: PATCH`, for clients that cannot send PATCH; required by tus. */
export function overrideOperation(settings: UploadSettings): Operation {
  return {
    ...appendOperation(settings),
    name: "uploads.appendByPost",
    method: "POST",
    answers: "other",
    takesOverride: true,
    async run(context) {
      const override = context.headers.get("x-http-method-override")?.trim().toUpperCase();
      if (override === "PATCH") return append(settings, context);
      const detail = 'POST is only allowed here with "X-HTTP-Method-Override: PATCH".';
      throw new ProblemError("METHOD_NOT_ALLOWED", detail, { headers: { allow: "GET, HEAD, PATCH, DELETE, OPTIONS" } });
    },
  };
}

async function append(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const { headers } = context;
  const found = await findUpload(settings, context);
  if (!isOwner(found, context)) throw new ProblemError("FORBIDDEN", "Only the owner of an upload may append to it.");
  requireVersion(headers);
  if (hasBody(context) || headers.get("content-type") !== undefined) requireOffsetStream(context);
  const offset = bytesOf(headers, "upload-offset");
  if (offset === undefined) throw malformed("upload-offset", "is missing; it must be the number of bytes sent before");
  const checksum = parseChecksum(headers);
  requireLiving(settings, found);
  if (found.data.kind === "direct") throw new ProblemError("FORBIDDEN", "Send the file of this upload to the address that was signed for it.");
  if (found.data.concat?.startsWith("final;")) throw new ProblemError("FORBIDDEN", "A concatenation cannot be appended to.");
  const limits = await settings.limitsOf(context.principal);
  const body = bodyOf(settings, context);
  const held = checksum === undefined && !body.isSigned ? settings.held.take(found.record.id) : undefined;
  const lock = held?.lock ?? (await UploadLock.acquire(settings, found));
  let isAppended = false;
  try {
    requireLiving(settings, lock.upload);
    requireOffset(held?.draft.size ?? offsetOf(lock.upload), offset);
    if (lock.upload.data.status !== "uploading") return await answerWhole(settings, context, lock);
    const length = lengthOf(settings, context, lock.upload);
    requireRoom(settings, context, { offset, length });
    isAppended = true;
    const upload = await appendBody(settings, lock, { ...body, length, checksum, limits, isAcknowledged: true }, held);
    return answer(upload.data.status === "processing" ? await finishUpload(settings, upload) : upload);
  } finally {
    if (!isAppended) await (held === undefined ? lock.release() : held.end());
  }
}

/** Answers a client that does not know that the upload is complete. The body is not kept, so the lock is released first. @throws {ProblemError} FILE_TOO_LARGE */
async function answerWhole(settings: UploadSettings, context: Context, lock: UploadLock): Promise<HttpResponse> {
  const { upload } = lock;
  const length = offsetOf(upload);
  requireRoom(settings, context, { offset: length, length });
  await lock.release();
  for await (const chunk of bodyOf(settings, context).chunks()) if (chunk.length > 0) throw tooLarge(length, settings.maxBytes);
  return answer(upload);
}

/** @throws {ProblemError} the problem that the file was rejected for */
function answer(upload: Upload): HttpResponse {
  const offset = { "upload-offset": String(offsetOf(upload)) };
  if (upload.data.problem !== undefined) {
    const { code, message, status, extensions } = problemOf(upload.data.problem);
    throw new ProblemError(code, message, { status, extensions, headers: { "upload-offset": String(upload.data.length ?? 0) } });
  }
  return { status: 204, headers: { ...offset, "cache-control": "no-store", ...expiryHeader(upload) }, body: null };
}

/** @throws {ProblemError} OFFSET_MISMATCH */
function requireOffset(current: number, offset: number): void {
  if (offset === current) return;
  throw new ProblemError("OFFSET_MISMATCH", `The upload has ${current} bytes; "upload-offset" says ${offset}.`, {
    headers: { "upload-offset": String(current) },
    extensions: { offset: current },
  });
}

/** The length of the whole file; `undefined` while unknown. @throws {ProblemError} MALFORMED_HEADER, FILE_TOO_LARGE */
function lengthOf({ maxBytes }: UploadSettings, { headers }: Context, upload: Upload): number | undefined {
  const { length } = upload.data;
  const said = bytesOf(headers, "upload-length");
  if (said === undefined || said === length) return length;
  if (length !== undefined) throw malformed("upload-length", `says ${said}, but the upload was announced with ${length} bytes`);
  if (said < offsetOf(upload)) throw malformed("upload-length", `says ${said}, but the upload has ${offsetOf(upload)} bytes already`);
  if (said > maxBytes) throw fileTooLarge(maxBytes);
  return said;
}
