import { readyFile } from "../records/readyFile.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, type StoredFile, sourceKeyOf, type Upload, type UploadData } from "../records/upload.js";
import { type Recorded, recordOutcome } from "./recordOutcome.js";

/**
 * Records that an upload is a file now, unless somebody else has ended it meanwhile.
 *
 * @returns the upload as it is; `isOwn` where it was recorded: whoever sees that announces it
 */
export async function markReady(settings: UploadSettings, upload: Upload, file: StoredFile): Promise<Recorded> {
  // A piece of a concatenation stays until that is done, or its time is over.
  const isPiece = isPartial(upload);
  const dueAt = isPiece ? new Date(settings.clock.now() + settings.expiresMs) : undefined;
  const data: Partial<UploadData> = { status: "ready", file, length: upload.data.length ?? file.size, draft: undefined };
  return recordOutcome(settings, upload, { data, isOpen: isPiece, bytes: file.size, dueAt });
}

/** What is to be done once an upload is a file: removes the bytes that a check has replaced, and tells who wants to hear of it. */
export async function announceReady(settings: UploadSettings, upload: Upload): Promise<void> {
  const key = sourceKeyOf(upload);
  if (upload.data.file?.key !== key) await settings.blobs.delete(key).catch(() => {});
  if (!isPartial(upload)) await tell(settings, upload);
}

async function tell({ onReady, logger }: UploadSettings, upload: Upload): Promise<void> {
  const file = readyFile(upload);
  if (onReady === undefined || file === undefined) return;
  try {
    await onReady(file);
  } catch (error) {
    logger.error({ err: error }, "onReady threw.");
  }
}
