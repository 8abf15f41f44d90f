import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { ProblemError } from "../../problem/index.js";
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
import { HeldUpload } from "./heldUpload.js";

/** PATCH of an upload: more bytes, behind those that are there. */
export function appendOperation(settings: UploadSettings): Operation {
  return {
    name: "uploads.append",
    method: "PATCH",
    // Offsets make it safe to repeat: no key is needed, and none is looked at.
    safety: "safe",
    standsAlone: true,
    access: { action: "update", collection: "uploads" },
    run: (context) => append(settings, context),
  };
}

/** POST with `X-HTTP-Method-Override: PATCH`, for clients that cannot send PATCH: the protocol asks for it. */
export function overrideOperation(settings: UploadSettings): Operation {
  return {
    ...appendOperation(settings),
    name: "uploads.appendByPost",
    method: "POST",
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
  if (!isOwner(found, context)) throw new ProblemError("FORBIDDEN", "Only its owner adds to an upload.");
  requireVersion(headers);
  if (hasBody(context) || headers.get("content-type") !== undefined) requireOffsetStream(context);
  const offset = bytesOf(headers, "upload-offset");
  if (offset === undefined) throw malformed("upload-offset", "is missing; it says how many bytes have been sent before");
  const checksum = parseChecksum(headers);
  requireLiving(settings, found);
  if (found.data.kind === "direct") throw new ProblemError("FORBIDDEN", "The file of this upload is sent to the address that was signed for it.");
  if (found.data.concat?.startsWith("final;")) throw new ProblemError("FORBIDDEN", "Nothing can be added to a concatenation.");
  const limits = await settings.limitsOf(context.principal);
  const held = await HeldUpload.take(settings, found);
  try {
    requireLiving(settings, held.upload);
    requireOffset(held.upload, offset);
    if (held.upload.data.status !== "uploading") return await answerWhole(settings, context, held);
    const length = lengthOf(settings, context, held.upload);
    requireRoom(settings, context, { offset, length });
    const upload = await appendBody(settings, held, { source: bodyOf(settings, context), length, checksum, limits, isAcknowledged: true });
    return answer(upload.data.status === "processing" ? await finishUpload(settings, upload) : upload);
  } finally {
    await held.leave();
  }
}

/** For who does not know that all has come. Nobody has to wait for a body that is not kept. @throws {ProblemError} FILE_TOO_LARGE for one that is not empty */
async function answerWhole(settings: UploadSettings, context: Context, held: HeldUpload): Promise<HttpResponse> {
  const { upload } = held;
  const length = offsetOf(upload);
  requireRoom(settings, context, { offset: length, length });
  await held.leave();
  for await (const chunk of bodyOf(settings, context)) if (chunk.length > 0) throw tooLarge(length, settings.maximumBytes);
  return answer(upload);
}

/** @throws {ProblemError} what the file was rejected for */
function answer(upload: Upload): HttpResponse {
  const offset = { "upload-offset": String(offsetOf(upload)) };
  if (upload.data.problem !== undefined) {
    const { code, message, status, extensions } = problemOf(upload.data.problem);
    throw new ProblemError(code, message, { status, extensions, headers: { "upload-offset": String(upload.data.length ?? 0) } });
  }
  return { status: 204, headers: { ...offset, "cache-control": "no-store", ...expiryHeader(upload) }, body: null };
}

/** @throws {ProblemError} OFFSET_MISMATCH */
function requireOffset(upload: Upload, offset: number): void {
  const current = offsetOf(upload);
  if (offset === current) return;
  throw new ProblemError("OFFSET_MISMATCH", `The upload has ${current} bytes; "upload-offset" says ${offset}.`, {
    headers: { "upload-offset": String(current) },
    extensions: { offset: current },
  });
}

/** The length that is known by now. @throws {ProblemError} MALFORMED_HEADER, FILE_TOO_LARGE */
function lengthOf({ maximumBytes }: UploadSettings, { headers }: Context, upload: Upload): number | undefined {
  const { length } = upload.data;
  const said = bytesOf(headers, "upload-length");
  if (said === undefined || said === length) return length;
  if (length !== undefined) throw malformed("upload-length", `says ${said}, but the upload was announced with ${length} bytes`);
  if (said < offsetOf(upload)) throw malformed("upload-length", `says ${said}, but the upload has ${offsetOf(upload)} bytes already`);
  if (said > maximumBytes) throw fileTooLarge(maximumBytes);
  return said;
}
