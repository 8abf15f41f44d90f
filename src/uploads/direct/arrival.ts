import { ProblemError } from "../../problem/index.js";
import type { BlobStat } from "../../storage/blobs.js";
import { finishingUntil } from "../finish/beginFinishing.js";
import { finishUpload } from "../finish/finishUpload.js";
import { loadUpload, noSuchUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, uploadOf } from "../records/upload.js";

/** Whether a file may have been sent to the store itself, without anybody here having heard of it. */
export function mayHaveArrived({ data }: Upload): boolean {
  return data.kind === "direct" && data.status === "uploading";
}

/**
 * Looks whether a file that was to be sent to the store itself is there, and makes a file of it.
 *
 * @returns the upload as it is afterwards; `uploading` where nothing is there
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE for a file of another size, which is removed; SCAN_UNAVAILABLE
 */
export async function completeArrived(settings: UploadSettings, upload: Upload): Promise<Upload> {
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
  return mayHaveArrived(current) ? completeArrived(settings, current) : current;
}

async function arrivedBlob({ blobs }: UploadSettings, { record, data }: Upload): Promise<BlobStat | undefined> {
  const key = blobKeyOf(record.id);
  const parts = data.direct?.parts;
  if (parts === undefined) return blobs.presignPut && blobs.stat(key);
  return blobs.directParts?.complete(key, parts, data.length ?? parts.size);
}

function otherSize(size: number, length: number): ProblemError {
  const detail = `The upload was announced with ${length} bytes, and ${size} have come; they were removed. Send the file again.`;
  return size > length
    ? new ProblemError("FILE_TOO_LARGE", detail, { extensions: { limit: length } })
    : new ProblemError("UPLOAD_INCOMPLETE", detail);
}

/**
 * The same for whoever only looks: what cannot be said of the file now is said to whoever completes it.
 *
 * @returns the upload as it is afterwards
 */
export async function lookForArrived(settings: UploadSettings, upload: Upload): Promise<Upload> {
  if (!mayHaveArrived(upload)) return upload;
  try {
    return await completeArrived(settings, upload);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return (await loadUpload(settings, upload.record.id)) ?? upload;
  }
}
