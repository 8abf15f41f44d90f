import type { UploadSettings } from "../records/settings.js";
import { sourceKeyOf, type Upload } from "../records/upload.js";
import { tombstone } from "./recordOutcome.js";

/**
 * Ends an upload and removes what has arrived of it; for a week it is told apart from one that never was.
 *
 * @returns `false` where the record has changed meanwhile: nothing was done
 */
export async function discardUpload(settings: UploadSettings, { record, data }: Upload): Promise<boolean> {
  // Who still holds it finds that it is nobody's any more.
  const ended = { ...data, status: "gone" as const, draft: undefined, file: undefined, holder: undefined, isWanted: undefined };
  const outcome = await settings.store.update(record.id, record.version, { ...tombstone(settings), data: ended });
  if (outcome.outcome !== "stored") return false;
  await removeBlobs(settings, { record, data });
  return true;
}

/** Removes all that is kept of an upload but its record. */
export async function removeBlobs({ blobs }: Pick<UploadSettings, "blobs">, upload: Upload): Promise<void> {
  const { file } = upload.data;
  const key = sourceKeyOf(upload);
  await blobs.delete(key);
  if (file !== undefined && file.key !== key) await blobs.delete(file.key);
}
