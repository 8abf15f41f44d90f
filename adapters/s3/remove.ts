import type { S3Api } from "./api.js";
import type { Drafts } from "./drafts.js";
import { abortUpload } from "./multipart.js";
import { deleteObject, headObject } from "./objects.js";
import { listUploads } from "./pages.js";

/** Removes a blob with all that was begun under its key; `false` where there was none. */
export async function removeBlob(api: S3Api, drafts: Drafts, key: string): Promise<boolean> {
  const wasDraft = drafts.delete(key);
  const [whole, wasUpload] = await Promise.all([headObject(api, key), abortUploads(api, key)]);
  // An upload that was completed before it could be aborted is an object now.
  if (whole !== undefined || wasUpload) await deleteObject(api, key);
  return wasDraft || whole !== undefined || wasUpload;
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
