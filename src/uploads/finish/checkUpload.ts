import { createHash } from "node:crypto";
import type { BlobStat } from "../../storage/blobs.js";
import type { Rejection } from "../checks/fileCheck.js";
import type { AcceptedFile } from "../checks/runChecks.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, type StoredFile, sourceKeyOf, type Upload } from "../records/upload.js";
import { blobBytes, judgeBlob, keepBlob } from "./judgeBlob.js";

/** What is said of an upload that has all of its bytes; `gone` where they are not there any more. */
export type CheckedUpload =
  | { readonly verdict: "pass"; readonly file: StoredFile }
  | { readonly verdict: "defer" }
  | { readonly verdict: "gone" }
  | Rejection;

/** Makes the blob of an upload whole and has it looked into. Nothing is recorded: who reads files sees nothing of it yet. */
export async function checkUpload(settings: UploadSettings, upload: Upload): Promise<CheckedUpload> {
  const { blobs, hashes } = settings;
  const { id } = upload.record;
  const { filename, declaredType } = upload.data;
  const stat = await wholeBlob(settings, upload);
  if (stat === undefined) return { verdict: "gone" };
  const blob = { key: sourceKeyOf(upload), filename, declaredType, size: stat.size };
  const sha256 = hashes.take(id, stat.size)?.digest("hex") ?? (await hashOf(settings, blob.key));
  const announced = upload.data.direct?.sha256;
  if (announced !== undefined && announced !== sha256) return otherBytes;
  const outcome = isPartial(upload) ? accepted : await judgeBlob(blobs, blob, { ...settings, checks: checksOf(settings, upload) });
  if (outcome.verdict === "reject") return outcome;
  if (outcome.verdict === "defer") return { verdict: "defer" };
  return unlessReplaced(settings, upload, { file: await keepBlob(blobs, { ...blob, sha256 }, outcome), stat });
}

const otherBytes: Rejection = {
  verdict: "reject",
  code: "CHECKSUM_MISMATCH",
  status: 422,
  detail: "The file has another SHA-256 than was announced; nothing of it was kept.",
};

const replaced: Rejection = {
  ...otherBytes,
  detail: "Other bytes were put in the place of the file while it was looked into; nothing of it was kept.",
};

/** A client that can reach the blob may have put other bytes there meanwhile; those that were looked into are known again by their tag. */
async function unlessReplaced(
  { blobs }: UploadSettings,
  upload: Upload,
  { file, stat }: { readonly file: StoredFile; readonly stat: BlobStat },
): Promise<CheckedUpload> {
  const { kind, key, direct } = upload.data;
  const isInClientsHand = kind === "direct" && key === undefined && direct?.parts === undefined;
  if (!isInClientsHand || file.key !== sourceKeyOf(upload)) return { verdict: "pass", file };
  const { etag } = stat;
  const now = await blobs.stat(file.key);
  return now?.etag === etag ? { verdict: "pass", file: { ...file, etag } } : replaced;
}

const accepted: AcceptedFile = { verdict: "pass", detectedType: undefined, bytes: undefined, deferredTo: [] };

/** What has to look into a file. Files of a form that is there no more have to pass what all others have to. */
export function checksOf({ forms, checks }: UploadSettings, { data }: Upload): UploadSettings["checks"] {
  return (data.form === undefined ? undefined : forms.get(data.form)?.checks) ?? checks;
}

async function wholeBlob({ drafts, blobs }: UploadSettings, upload: Upload): Promise<BlobStat | undefined> {
  const key = sourceKeyOf(upload);
  const { draft } = upload.data;
  return draft === undefined ? blobs.stat(key) : drafts.complete(key, draft);
}

async function hashOf({ blobs }: UploadSettings, key: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of await blobBytes(blobs, key)) hash.update(chunk);
  return hash.digest("hex");
}
