import { randomBytes } from "node:crypto";
import type { Context } from "../../../engine/operation/context.js";
import { bodyChunks } from "../../../ground/http/body/bodyStream.js";
import { requireRaw } from "../../../ground/http/body/rawBody.js";
import { bodyPace } from "../../../ground/limits/bodyPace.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { finishingUntil } from "../finish/heartbeat.js";
import { apply } from "../finish/record.js";
import { type HashedBlob, HashedBlobWriter } from "../hashedBlob.js";
import { writeFile } from "../plain/writeFile.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, uploadOf } from "../records/upload.js";
import { presignedBytes } from "./presigner.js";
import { lengthMismatch } from "./signedBody.js";

/**
 * Receives the body of a request as the file of an upload. Each attempt writes to its own blob: of two concurrent attempts, even in different processes, one is
 * recorded and the blob of the other is removed. If the body breaks off, the upload does not change.
 *
 * @param signal aborted when a later request for the upload arrives
 * @returns the upload, which is `processing`
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE, CHECKSUM_MISMATCH: the upload may be sent again; ALREADY_UPLOADED, GONE, UPLOAD_INTERRUPTED; the
 *   problem of a head check that rejects the file, which ends the upload
 * @throws {ClientGone}
 */
export async function receiveDirect(settings: UploadSettings, context: Context, upload: Upload, signal: AbortSignal): Promise<Upload> {
  const { filename, declaredType, length = 0, direct } = upload.data;
  requireRaw(context.request);
  const key = `${blobKeyOf(upload.record.id)}_${randomBytes(12).toString("base64url")}`;
  const writer = await HashedBlobWriter.open(settings.blobs, key, { contentType: declaredType, size: length });
  let written: HashedBlob;
  try {
    const source = presignedBytes(bodyOf(context, length, signal), { size: length, sha256: direct?.sha256 });
    written = await writeFile(writer, { filename, declaredType, source }, settings);
  } catch (error) {
    await writer.abort().catch(() => {});
    throw signal.aborted ? interrupted() : await refused(settings, upload, error);
  }
  const received = await recordReceived(settings, upload, key);
  settings.hashes.put(upload.record.id, written.size, written.sha256);
  return received;
}

function bodyOf({ request, headers, environment }: Context, limitBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const { limits, timers } = environment;
  const announced = headers.get("content-length");
  return bodyChunks(request, { limitBytes, ...bodyPace(limits), timers, tooLarge: lengthMismatch, announced, signal });
}

/** Records a rejection by a head check as final: the same file would be rejected again. */
async function refused(settings: UploadSettings, upload: Upload, error: unknown): Promise<unknown> {
  if (!(error instanceof ProblemError) || !isVerdict(error)) return error;
  const { code, status, message: detail, extensions } = error;
  await apply(settings, upload, { type: "rejected", problem: { code, status, detail, extensions } });
  return error;
}

function isVerdict({ code, status }: ProblemError): boolean {
  return (status === 415 || status === 422) && code !== "CHECKSUM_MISMATCH";
}

/** Records the blob as the file of the upload. Later requests fail with ALREADY_UPLOADED. */
async function recordReceived(settings: UploadSettings, begun: Upload, key: string): Promise<Upload> {
  const { store, blobs } = settings;
  const { id } = begun.record;
  let upload: Upload | undefined = begun;
  while (upload?.data.status === "uploading") {
    // If the update fails with an unknown outcome, the blob stays; the orphan sweep removes it later if no record refers to it.
    const changes = { data: { ...upload.data, status: "processing" as const, key }, dueAt: finishingUntil(settings) };
    const outcome = await store.update(id, upload.record.version, changes);
    if (outcome.outcome === "stored") return uploadOf(outcome.record);
    upload = await loadUpload(settings, id);
  }
  await blobs.delete(key).catch(() => {});
  throw uploadClosed(upload);
}

/** The problem for an upload that does not accept bytes any more. */
export function uploadClosed(upload: Upload | undefined): ProblemError {
  if (upload === undefined || upload.data.status === "gone") return new ProblemError("GONE", "The upload has ended and accepts no more data.");
  return new ProblemError("ALREADY_UPLOADED", "The address was already used; it accepts one file. Request another one.");
}

function interrupted(): ProblemError {
  return new ProblemError("UPLOAD_INTERRUPTED", "Another request for this upload arrived. The data of this one was discarded.", {
    headers: { connection: "close" },
  });
}
