import type { UploadSettings } from "../records/settings.js";
import { type Upload, uploadOf } from "../records/upload.js";
import { discardForm, followFirst, resumeForm } from "./finishForm.js";
import { finishUpload } from "./finishUpload.js";
import { finishingUntil } from "./heartbeat.js";
import { discardUpload } from "./record.js";

/**
 * Takes over an upload whose process died while finishing it, or whose retry is due.
 *
 * @returns whether the upload was finished or ended; `false` while another process is, or may still be, finishing it
 */
export async function finishAbandoned(settings: UploadSettings, upload: Upload): Promise<boolean> {
  const { isAcknowledged, together } = upload.data;
  if (!isLeft(settings, upload)) return false;
  if (together !== undefined && together[0] !== upload.record.id) return followFirst(settings, upload);
  // Its request died without a response.
  if (isAcknowledged === false) return together === undefined ? discardUpload(settings, upload) : discardForm(settings, upload);
  const own = await claim(settings, upload);
  if (own === undefined) return false;
  if (together !== undefined) return resumeForm(settings, own);
  await finishUpload(settings, own);
  return true;
}

/** Whether an upload has all of its bytes, and no process is finishing it. Forms record that they wait for a retry; other uploads are detected by their silence. */
function isLeft({ clock, watch }: UploadSettings, { record, data }: Upload): boolean {
  if (data.status !== "processing") return false;
  const now = clock.now();
  return data.isWaiting === true ? record.dueAt !== undefined && record.dueAt.getTime() <= now : watch.isSilent(record, now);
}

/** @returns `undefined` if another process was first */
async function claim(settings: UploadSettings, { record, data }: Upload): Promise<Upload | undefined> {
  const changes = { dueAt: finishingUntil(settings), data: { ...data, isWaiting: undefined } };
  const outcome = await settings.store.update(record.id, record.version, changes);
  return outcome.outcome === "stored" ? uploadOf(outcome.record) : undefined;
}
