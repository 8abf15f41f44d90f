import type { BlobListing } from "../../ground/storage/files/blobs.js";
import type { UploadAccount, UploadRecord } from "../../ground/storage/files/uploads.js";
import { refreshDirectUpload } from "./direct/arrival.js";
import { finishAbandoned } from "./finish/finishAbandoned.js";
import { discardUpload, removeBlobs } from "./finish/record.js";
import { loadUpload } from "./records/find.js";
import type { UploadSettings } from "./records/settings.js";
import { blobKeyMark, idOfKey, isPartial, sourceKeyOf, type Upload, uploadOf } from "./records/upload.js";

const atOnce = 100;
/** Minimum age of an orphan: a younger blob without a record may belong to an upload that has just begun. */
const orphanMs = 24 * 3_600_000;

/**
 * Processes uploads that are due: discards expired uploads, takes over uploads whose process died while finishing them, and removes the records of ended uploads.
 * If one upload fails, the others are still processed.
 *
 * @returns how many uploads were processed
 * @throws the first error, after all other uploads were processed
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

/**
 * Discards the expired uploads of an account: unfinished uploads, and partial uploads that were never concatenated.
 *
 * @returns whether any upload was discarded
 */
export async function endExpired(settings: UploadSettings, of: UploadAccount): Promise<boolean> {
  const now = new Date(settings.clock.now());
  let hasEnded = false;
  for (;;) {
    const due = await settings.store.due(now, atOnce, of);
    let ended = 0;
    for (const record of due) {
      // A store may ignore the account.
      const isOwn = record.tenant === of.tenant && record.account === of.account;
      if (isOwn && isExpired(uploadOf(record)) && (await see(settings, record))) ended += 1;
    }
    hasEnded ||= ended > 0;
    if (ended === 0 || due.length < atOnce) return hasEnded;
  }
}

function isExpired(upload: Upload): boolean {
  const { status } = upload.data;
  return status === "uploading" || (status === "ready" && isPartial(upload));
}

async function see(settings: UploadSettings, record: UploadRecord): Promise<boolean> {
  const upload = uploadOf(record);
  const { status } = upload.data;
  if (status === "gone" || status === "rejected" || (status === "ready" && upload.data.concat === "partial")) return forgetAll(settings, upload);
  if (status === "uploading") return giveUp(settings, upload);
  return finishAbandoned(settings, upload);
}

/** If the client has sent the file to the blob store directly but not completed the upload, the upload is completed, not discarded. */
async function giveUp(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const current = await refreshDirectUpload(settings, upload);
  return current.data.status === "uploading" ? discardUpload(settings, current) : true;
}

async function forgetAll(settings: UploadSettings, upload: Upload): Promise<boolean> {
  await removeBlobs(settings, upload);
  return settings.store.remove(upload.record.id, upload.record.version);
}

/**
 * Removes blobs that have no upload record, and blobs that were replaced by others.
 *
 * @returns how many blobs were removed
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
