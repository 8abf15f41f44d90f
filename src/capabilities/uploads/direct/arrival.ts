import { ProblemError } from "../../../ground/problem/index.js";
import type { BlobStat } from "../../../ground/storage/files/blobs.js";
import { finishUpload } from "../finish/finishUpload.js";
import { finishingUntil } from "../finish/heartbeat.js";
import { loadUpload, noSuchUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, uploadOf } from "../records/upload.js";

/** Whether the client may have sent the file to the blob store directly, without this service being notified. */
export function mayHaveArrived({ data }: Upload): boolean {
  return data.kind === "direct" && data.status === "uploading";
}

/**
 * Checks whether the client has sent the file to the blob store directly, and if so finishes the upload.
 *
 * @returns the resulting upload; still `uploading` if the file is missing
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE if the file has another size, in which case it is removed; SCAN_UNAVAILABLE
 */
export async function completeDirectUpload(settings: UploadSettings, upload: Upload): Promise<Upload> {
  const { record, data } = upload;
  const stat = await arrivedBlob(settings, upload);
  if (stat === undefined) return upload;
  const { length = stat.size } = data;
  if (stat.size !== length) {
    await settings.blobs.delete(blobKeyOf(record.id));
    throw otherSize(stat.size, length);
  }
  const dueAt = finishingUntil(settings);
  const outcome = await settings.store.update(record.id, record.version, { data: { ...data, status: "processing" }, dueAt });
  if (outcome.outcome === "stored") return finishUpload(settings, uploadOf(outcome.record));
  const current = await loadUpload(settings, record.id);
  if (current === undefined) throw noSuchUpload(record.id);
  return mayHaveArrived(current) ? completeDirectUpload(settings, current) : current;
}

async function arrivedBlob({ blobs }: UploadSettings, { record, data }: Upload): Promise<BlobStat | undefined> {
  const key = blobKeyOf(record.id);
  const parts = data.direct?.parts;
  if (parts === undefined) return blobs.presignPut && blobs.stat(key);
  return blobs.directParts?.complete(key, parts, data.length ?? parts.size);
}

function otherSize(size: number, length: number): ProblemError {
  const detail = `The upload was announced with ${length} bytes, but ${size} arrived; they were removed. Send the file again.`;
  return size > length
    ? new ProblemError("FILE_TOO_LARGE", detail, { extensions: { limit: length } })
    : new ProblemError("UPLOAD_INCOMPLETE", detail);
}

/**
 * Like {@link completeDirectUpload}, but for reads: it ignores problems with the file. The request that completes the upload reports them.
 *
 * @returns the resulting upload
 */
export async function refreshDirectUpload(settings: UploadSettings, upload: Upload): Promise<Upload> {
  if (!mayHaveArrived(upload)) return upload;
  try {
    return await completeDirectUpload(settings, upload);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return (await loadUpload(settings, upload.record.id)) ?? upload;
  }
}
