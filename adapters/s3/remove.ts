import type { S3Api } from "./api.js";
import { abortUpload } from "./multipart.js";
import { deleteObject, headObject } from "./objects.js";
import { listUploads } from "./pages.js";
import { removeAllTails } from "./tails.js";
import type { UnsentBlobs } from "./unsent.js";

/** Removes a blob with all that was begun under its key; `false` where there was none. */
export async function removeBlob(api: S3Api, unsent: UnsentBlobs, key: string): Promise<boolean> {
  const wasBegun = await removeBegun(api, unsent, key);
  await unsent.sent(key);
  // Afterwards, and not before: what was begun can have become whole until now.
  const whole = await headObject(api, key);
  if (whole !== undefined || wasBegun) await deleteObject(api, key);
  return whole !== undefined || wasBegun;
}

/** Removes all that was begun under a key and is not whole; `false` where there was nothing. */
export async function removeBegun(api: S3Api, unsent: UnsentBlobs, key: string): Promise<boolean> {
  const wasUnsent = unsent.delete(key);
  const wasUpload = await abortUploads(api, key);
  // Who writes a tail looks for its upload afterwards, which is gone by now: one of the two removes it.
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
