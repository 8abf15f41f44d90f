import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { jsonBody } from "../../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { PresignedPut } from "../../../ground/storage/files/blobs.js";
import { sealAnswers } from "../../../parts/idempotency/sealedRecords.js";
import { createUpload, newUploadId } from "../records/create.js";
import { baseOf, filePath, uploadPath } from "../records/document.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type DirectUpload, type Upload } from "../records/upload.js";
import { requireAcceptedClaim } from "../requireAcceptedClaim.js";
import { dueMsOf, secondsOf } from "./addressTime.js";
import { signDirect } from "./directAddress.js";
import { firstParts, minMultipartBytes } from "./parts.js";
import { invalid, type PresignRequest, readPresignRequest } from "./presignRequest.js";

/** POST that signs a URL to which a file can be sent without credentials. */
export function presignOperation(settings: UploadSettings, limits: Limits): Operation {
  return {
    name: "uploads.presign",
    method: "POST",
    standsAlone: true,
    // The URL grants the right to send a file.
    sealAnswers,
    access: { action: "create", collection: "uploads" },
    body: jsonBody(limits),
    run: (context) => presign(settings, context),
  };
}

async function presign(settings: UploadSettings, context: Context): Promise<HttpResponse> {
  const request = readPresignRequest(context.body);
  const { filename, contentType, size, expiresIn = settings.presignSeconds } = request;
  if (size > settings.maxBytes) throw tooLarge(settings.maxBytes);
  requireAcceptedClaim(settings, filename, contentType);
  const upload = await begin(settings, context, { ...request, expiresIn });
  const address = await addressOf(settings, context, upload, expiresIn);
  const location = baseOf(context) + uploadPath(upload.record.id);
  const document = {
    id: upload.record.id,
    ...address,
    expiresIn,
    expiresAt: new Date((upload.data.direct?.expiresAt ?? 0) * 1_000).toISOString(),
    fileUrl: baseOf(context) + filePath(upload),
  };
  return { status: 201, headers: { location, "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify(document) };
}

type Wanted = PresignRequest & { readonly expiresIn: number };

async function begin(settings: UploadSettings, context: Context, wanted: Wanted): Promise<Upload> {
  const { filename, contentType: declaredType, size: length, sha256, expiresIn } = wanted;
  const { visibility, blobs } = settings;
  const id = newUploadId();
  const expiresAt = secondsOf(settings) + expiresIn;
  try {
    const direct: DirectUpload = { sha256, expiresAt, parts: await beginParts(settings, id, wanted) };
    const known = { id, kind: "direct", status: "uploading", visibility, filename, declaredType, length, direct, bytes: length } as const;
    return await createUpload(settings, context, { ...known, dueMs: dueMsOf(expiresAt) });
  } catch (error) {
    if (wanted.multipart) await blobs.delete(blobKeyOf(id)).catch(() => {});
    throw error;
  }
}

async function beginParts({ blobs }: UploadSettings, id: string, { contentType, size, multipart }: Wanted): Promise<DirectUpload["parts"]> {
  if (!multipart) return undefined;
  if (blobs.directParts === undefined)
    throw noParts("This service does not accept files in parts; request one address, or send them in pieces to /uploads.");
  if (size <= minMultipartBytes) throw noParts(`Only files of more than ${minMultipartBytes} bytes are sent in parts; request one address.`);
  return blobs.directParts.begin(blobKeyOf(id), { contentType, size });
}

function noParts(detail: string): ProblemError {
  return invalid([{ code: "INVALID_VALUE", detail, pointer: "/multipart" }]);
}

async function addressOf(settings: UploadSettings, context: Context, upload: Upload, expiresIn: number): Promise<object> {
  if (upload.data.direct?.parts !== undefined) return firstParts(settings, upload, expiresIn);
  const { url, method, headers } = (await storeAddress(settings, upload, expiresIn)) ?? ownAddress(context, upload);
  return { uploadUrl: url, method, headers };
}

async function storeAddress({ blobs }: UploadSettings, { record, data }: Upload, expiresIn: number): Promise<PresignedPut | undefined> {
  const announced = { contentType: data.declaredType, size: data.length, sha256: data.direct?.sha256 };
  return blobs.presignPut?.(blobKeyOf(record.id), { ...announced, expiresIn });
}

function ownAddress(context: Context, upload: Upload): PresignedPut {
  const { declaredType, direct } = upload.data;
  const path = signDirect(context.environment, upload, direct?.expiresAt ?? 0);
  return { url: baseOf(context) + path, method: "PUT", headers: declaredType === undefined ? {} : { "Content-Type": declaredType } };
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError("FILE_TOO_LARGE", `The file may have at most ${limit} bytes.`, { extensions: { limit } });
}
