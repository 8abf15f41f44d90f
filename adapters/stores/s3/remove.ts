import type { S3Api } from "./call/api.js";
import { removeAllTails } from "./drafts/tails.js";
import { abortUpload } from "./multipart.js";
import { deleteObject, headObject } from "./objects.js";
import { listUploads } from "./pages.js";
import type { PendingBlobs } from "./pendingBlobs.js";

/** Removes a blob and everything that was begun under its key; `false` if there was nothing. */
export async function removeBlob(api: S3Api, pending: PendingBlobs, key: string): Promise<boolean> {
  const wasBegun = await removeIncomplete(api, pending, key);
  await pending.sent(key);
  // The object is removed last, because an upload may have been completed until now.
  const whole = await headObject(api, key);
  if (whole !== undefined || wasBegun) await deleteObject(api, key);
  return whole !== undefined || wasBegun;
}

/** Removes everything under a key that is not complete; `false` if there was nothing. */
export async function removeIncomplete(api: S3Api, pending: PendingBlobs, key: string): Promise<boolean> {
  const wasUnsent = pending.delete(key);
  const wasUpload = await abortUploads(api, key);
  // A writer of a tail checks its upload afterwards, which is gone by now: so either this call or the writer removes the tail.
  const hadTails = await removeAllTails(api, key);
  return wasUnsent || wasUpload || hadTails;
}

async function abortUploads(api: S3Api, key: string): Promise<boolean> {
  let count = 0;
  for await (const upload of listUploads(api, key)) {
    if (upload.key !== key) continue;
    await abortUpload(api, upload);
    count += 1;
  }
  return count > 0;
}
