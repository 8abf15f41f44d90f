import { ProblemError } from "../../../ground/problem/index.js";
import { loadUpload } from "../records/find.js";
import { readyFile } from "../records/readyFile.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, sourceKeyOf, type Upload, uploadOf } from "../records/upload.js";
import { type FinishEvent, type RecordChanges, type Transition, transition } from "./states.js";

/** The result of recording changes. `isOwn` is `false` if another process ended the upload first, so that these changes were not recorded. */
export interface Recorded {
  readonly upload: Upload;
  /** The upload before the changes. */
  readonly before: Upload;
  readonly isOwn: boolean;
}

/** The transition for an event at the current time. */
export function next({ clock, expiresMs }: UploadSettings, upload: Upload, event: FinishEvent): Transition {
  return transition(upload, event, { nowMs: clock.now(), expiresMs });
}

/**
 * Records the transition for an event and runs its effect, unless the status of the upload has changed since it was read.
 *
 * @throws {ProblemError} GONE if the record was removed
 */
export async function apply(settings: UploadSettings, upload: Upload, event: FinishEvent): Promise<Recorded> {
  const step = next(settings, upload, event);
  const recorded = await record(settings, upload, step.changes);
  await runEffect(settings, step, recorded);
  return recorded;
}

/** Changes a record; retries after concurrent changes as long as the status of the upload is the same. @throws {ProblemError} GONE */
export async function record(settings: Pick<UploadSettings, "store">, upload: Upload, { data, ...changes }: RecordChanges): Promise<Recorded> {
  const { id } = upload.record;
  let current: Upload | undefined = upload;
  while (current?.data.status === upload.data.status) {
    const outcome = await settings.store.update(id, current.record.version, { ...changes, data: { ...current.data, ...data } });
    if (outcome.outcome === "stored") return { upload: uploadOf(outcome.record), before: current, isOwn: true };
    current = await loadUpload(settings, id);
  }
  if (current === undefined) throw deletedUpload();
  return { upload: current, before: upload, isOwn: false };
}

/** The problem for an upload that was deleted while it was being finished. */
export function deletedUpload(): ProblemError {
  return new ProblemError("GONE", "The upload was deleted.");
}

/**
 * Ends an upload and removes its bytes. The record is kept for a week, so that requests get GONE instead of NOT_FOUND.
 *
 * @returns `false` without an effect if the record has changed since it was read
 */
export async function discardUpload(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const step = next(settings, upload, { type: "ended" });
  const { id, version } = upload.record;
  const outcome = await settings.store.update(id, version, { ...step.changes, data: { ...upload.data, ...step.changes.data } });
  if (outcome.outcome !== "stored") return false;
  await removeBlobs(settings, upload);
  return true;
}

/** Runs the effect of a transition. If another process ended the upload first, only the bytes that this process has written are removed. */
export async function runEffect(settings: UploadSettings, { effect, changes }: Transition, { upload, before, isOwn }: Recorded): Promise<void> {
  if (effect === "removeBlobs" && isOwn) await removeBlobs(settings, before);
  if (effect !== "announce") return;
  if (isOwn) return announceReady(settings, upload);
  const key = changes.data?.file?.key;
  const isKept = key === undefined || key === sourceKeyOf(before) || key === upload.data.file?.key;
  if (!isKept) await settings.blobs.delete(key).catch(() => {});
}

/** Removes all blobs of an upload; its record stays. */
export async function removeBlobs({ blobs }: Pick<UploadSettings, "blobs">, upload: Upload): Promise<void> {
  const { file } = upload.data;
  const key = sourceKeyOf(upload);
  await blobs.delete(key);
  if (file !== undefined && file.key !== key) await blobs.delete(file.key);
}

/** Removes the original bytes if a check has rewritten them, and calls onReady. */
async function announceReady(settings: UploadSettings, upload: Upload): Promise<void> {
  const { blobs, onReady, logger } = settings;
  const key = sourceKeyOf(upload);
  if (upload.data.file?.key !== key) await blobs.delete(key).catch(() => {});
  const file = isPartial(upload) ? undefined : readyFile(upload);
  if (onReady === undefined || file === undefined) return;
  try {
    await onReady(file);
  } catch (error) {
    logger.error({ err: error }, "onReady threw.");
  }
}
