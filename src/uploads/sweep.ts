import type { BlobListing } from "../storage/blobs.js";
import type { UploadRecord } from "../storage/uploads.js";
import { lookForArrived } from "./direct/arrival.js";
import { finishingUntil } from "./finish/beginFinishing.js";
import { discardUpload, removeBlobs } from "./finish/discardUpload.js";
import { finishUpload } from "./finish/finishUpload.js";
import { settleForm } from "./finish/settleForm.js";
import { loadUpload } from "./records/find.js";
import type { UploadSettings } from "./records/settings.js";
import { blobKeyMark, idOfKey, sourceKeyOf, type Upload, uploadOf } from "./records/upload.js";

const atOnce = 100;
/** A blob without a record may belong to an upload that is only beginning. */
const orphanMs = 24 * 3_600_000;

/**
 * Sees to uploads whose time has come: gives up those that nobody goes on with, ends those whose process died while it checked them, and forgets what is over. One
 * that makes trouble does not keep the others.
 *
 * @returns how many were seen to
 * @throws the first fault, after all others were looked at
 */
export async function sweepUploads(settings: UploadSettings, signal?: AbortSignal): Promise<number> {
  const faults: unknown[] = [];
  let count = 0;
  for (;;) {
    const due = await settings.store.due(new Date(settings.clock.now()), atOnce);
    const before = count;
    for (const record of due) {
      if (signal?.aborted) return count;
      try {
        if (await see(settings, record)) count += 1;
      } catch (error) {
        faults.push(error);
      }
    }
    if (due.length < atOnce || count === before) break;
  }
  if (faults.length > 0) throw faults[0];
  return count;
}

async function see(settings: UploadSettings, record: UploadRecord): Promise<boolean> {
  const upload = uploadOf(record);
  const { status, isAcknowledged, together } = upload.data;
  if (status === "gone" || status === "rejected" || (status === "ready" && upload.data.concat === "partial")) return forgetAll(settings, upload);
  if (status === "uploading") return giveUp(settings, upload);
  if (status !== "processing") return false;
  if (together !== undefined) return claimed(settings, upload, (own) => settleForm(settings, own));
  // Its request died, and was never answered.
  if (isAcknowledged === false) return discardUpload(settings, upload);
  return claimed(settings, upload, async (own) => {
    await finishUpload(settings, own);
    return true;
  });
}

/** Does what is to be done, unless somebody else does it already. */
async function claimed(settings: UploadSettings, { record }: Upload, work: (upload: Upload) => Promise<boolean>): Promise<boolean> {
  const outcome = await settings.store.update(record.id, record.version, { dueAt: finishingUntil(settings) });
  return outcome.outcome === "stored" && work(uploadOf(outcome.record));
}

/** A file that was sent to the store itself, and never completed, is none that nobody goes on with. */
async function giveUp(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const current = await lookForArrived(settings, upload);
  return current.data.status === "uploading" ? discardUpload(settings, current) : true;
}

async function forgetAll(settings: UploadSettings, upload: Upload): Promise<boolean> {
  await removeBlobs(settings, upload);
  return settings.store.remove(upload.record.id, upload.record.version);
}

/**
 * Removes blobs of uploads that nobody has a record of, and those that were replaced by others.
 *
 * @returns how many were removed
 */
export async function sweepOrphans(settings: UploadSettings, signal?: AbortSignal): Promise<number> {
  const { blobs, clock } = settings;
  let removed = 0;
  for await (const blob of blobs.list(blobKeyMark, { before: new Date(clock.now() - orphanMs) })) {
    if (signal?.aborted) break;
    if ((await isOrphan(settings, blob)) && (await blobs.delete(blob.key))) removed += 1;
  }
  return removed;
}

async function isOrphan(settings: UploadSettings, { key }: BlobListing): Promise<boolean> {
  const upload = await loadUpload(settings, idOfKey(key));
  if (upload === undefined) return true;
  const { status, file } = upload.data;
  if (status === "gone" || status === "rejected") return true;
  if (file?.key === key) return false;
  return status === "ready" || key !== sourceKeyOf(upload);
}
