import { pause } from "../../../ground/http/pause.js";
import type { Timers } from "../../../ground/http/timers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { UploadRecord } from "../../../ground/storage/files/uploads.js";
import { finishingUntil } from "../finish/heartbeat.js";
import { loadUpload, noSuchUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, type UploadData } from "../records/upload.js";

/** How long a new request waits for the previous one. */
const maxWaitMs = 5_000;
/** A holder updates its record every second. A holder that has not done so for this long is treated as dead. */
export const maxSilenceMs = 3_000;
const lookMs = 100;

/**
 * Ends the request that writes to an upload, in this process or another, and waits until its received bytes are recorded.
 *
 * A holder in another process is alive if its record changes while it is watched; clocks of two machines are never compared.
 *
 * @returns the upload without a holder
 * @throws {ProblemError} UPLOAD_LOCKED if the holder does not end in time, NOT_FOUND
 */
export async function preemptWriter(settings: UploadSettings, id: string): Promise<Upload> {
  const { monotonic, timers, store } = settings;
  const untilMs = monotonic() + maxWaitMs;
  let seen: { readonly version: number; readonly sinceMs: number } | undefined;
  for (;;) {
    await interruptHere(settings, id, untilMs);
    const upload = await loadUpload(settings, id);
    if (upload === undefined) throw noSuchUpload(id);
    const { record, data } = upload;
    if (data.holder === undefined) return upload;
    const now = monotonic();
    if (seen?.version !== record.version) seen = { version: record.version, sinceMs: now };
    if (data.isWanted === undefined) {
      const outcome = await store.update(id, record.version, { data: { ...data, isWanted: true } });
      // This version was not written by the holder.
      if (outcome.outcome === "stored") seen = { version: outcome.record.version, sinceMs: now };
    } else if (now - seen.sinceMs >= maxSilenceMs) {
      const recovered = await recoverBytes(settings, upload);
      const free = { holder: undefined, isWanted: undefined, isAhead: undefined, isContested: true } as const;
      await store.update(id, record.version, { ...recovered, data: { ...recovered.data, ...free } });
      continue;
    }
    if (now >= untilMs) throw locked();
    await pause(lookMs, timers, neverAborted);
  }
}

/** The upload with the bytes that a dead holder has acknowledged but not recorded. If it is whole, the sweep finishes it. @throws {Unavailable} */
async function recoverBytes(
  settings: UploadSettings,
  { record, data }: Upload,
): Promise<Pick<UploadRecord, "dueAt"> & { readonly data: UploadData }> {
  const { draft, isAhead, length } = data;
  const { dueAt } = record;
  const found = isAhead && draft && (await settings.drafts.recover?.(blobKeyOf(record.id), draft));
  if (found === undefined || length === undefined) return { dueAt, data };
  const recovered = { ...data, draft: { ...found, size: Math.min(found.size, length) } };
  return found.size < length ? { dueAt, data: recovered } : { dueAt: finishingUntil(settings), data: { ...recovered, status: "processing" } };
}

/** Ends the writer in this process. @throws {ProblemError} UPLOAD_LOCKED */
async function interruptHere({ active, monotonic, timers }: UploadSettings, id: string, untilMs: number): Promise<void> {
  for (let writer = active.get(id); writer !== undefined; writer = active.get(id)) {
    writer.interrupt();
    const isOver = await endsWithin(writer.ended, untilMs - monotonic(), timers);
    if (!isOver) throw locked();
  }
}

async function endsWithin(ended: Promise<void>, ms: number, timers: Timers): Promise<boolean> {
  const { promise, cancel } = timeOut(Math.max(0, ms), timers);
  try {
    return await Promise.race([ended.then(() => true), promise]);
  } finally {
    cancel();
  }
}

function timeOut(ms: number, timers: Timers): { readonly promise: Promise<false>; cancel(): void } {
  let cancel = () => {};
  const promise = new Promise<false>((resolve) => {
    const timer = timers.setTimeout(() => resolve(false), ms);
    cancel = () => timer.cancel();
  });
  return { promise, cancel: () => cancel() };
}

const neverAborted = new AbortController().signal;

function locked(): ProblemError {
  return new ProblemError("UPLOAD_LOCKED", "Another request is still writing to this upload.", { headers: { "retry-after": "1" } });
}
