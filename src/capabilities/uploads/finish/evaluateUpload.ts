import type { BlobStat } from "../../../ground/storage/files/blobs.js";
import type { AcceptedFile } from "../../../parts/checks/runChecks.js";
import { sha256Of } from "../hashedBlob.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, type StoredFile, sourceKeyOf, type Upload } from "../records/upload.js";
import { checkBlob, keepBlob } from "./checkBlob.js";
import type { FinishEvent } from "./states.js";

/** Completes the blob of an upload and runs the checks. It records nothing, so the file cannot be read yet. */
export async function evaluateUpload(settings: UploadSettings, upload: Upload): Promise<FinishEvent> {
  const { blobs } = settings;
  const { filename, declaredType, direct } = upload.data;
  // Before a draft becomes a blob, and its file gets another name.
  const known = await knownHash(settings, upload);
  const stat = await wholeBlob(settings, upload);
  if (stat === undefined) return { type: "missing" };
  const blob = { key: sourceKeyOf(upload), filename, declaredType, size: stat.size };
  const sha256 = known ?? (await sha256Of(blobs, blob.key));
  if (direct?.sha256 !== undefined && direct.sha256 !== sha256)
    return rejectedBytes("The SHA-256 of the file is not the announced one; the file was discarded.");
  const outcome = isPartial(upload) ? unchecked : await checkBlob(blobs, blob, { ...settings, checks: checksOf(settings, upload) });
  if (outcome.verdict === "reject")
    return outcome.status === 503 ? { type: "unavailable", rejection: outcome } : { type: "rejected", problem: outcome };
  if (outcome.verdict === "defer") return { type: "deferred" };
  return unlessReplaced(settings, upload, { file: await keepBlob(blobs, { ...blob, sha256 }, outcome), stat });
}

/** The outcome for a partial upload: only the concatenated file is checked. */
const unchecked: AcceptedFile = { verdict: "pass", detectedType: undefined, bytes: undefined, deferredTo: [] };

function rejectedBytes(detail: string): FinishEvent {
  return { type: "rejected", problem: { code: "CHECKSUM_MISMATCH", status: 422, detail } };
}

/** A client that can write to the blob may have replaced its bytes during the checks; if so, the blob's tag has changed. */
async function unlessReplaced(
  { blobs }: UploadSettings,
  upload: Upload,
  { file, stat }: { readonly file: StoredFile; readonly stat: BlobStat },
): Promise<FinishEvent> {
  const { kind, key, direct } = upload.data;
  const isInClientsHand = kind === "direct" && key === undefined && direct?.parts === undefined;
  if (!isInClientsHand || file.key !== sourceKeyOf(upload)) return { type: "accepted", file };
  const { etag } = stat;
  const now = await blobs.stat(file.key);
  if (now?.etag === etag) return { type: "accepted", file: { ...file, etag } };
  return rejectedBytes("The file was replaced while it was checked; it was discarded.");
}

/** The checks of an upload. If the form of a file is not configured any more, the default checks apply. */
export function checksOf({ forms, checks }: UploadSettings, { data }: Upload): UploadSettings["checks"] {
  return (data.form === undefined ? undefined : forms.get(data.form)?.checks) ?? checks;
}

async function wholeBlob({ drafts, blobs }: UploadSettings, upload: Upload): Promise<BlobStat | undefined> {
  const key = sourceKeyOf(upload);
  const { draft } = upload.data;
  return draft === undefined ? blobs.stat(key) : drafts.complete(key, draft);
}

/** `undefined` if the bytes have to be read again. */
async function knownHash({ hashes, drafts }: UploadSettings, upload: Upload): Promise<string | undefined> {
  const { draft, length } = upload.data;
  const remembered = hashes.digest(upload.record.id, draft?.size ?? length);
  return remembered ?? (draft && drafts.sha256?.(sourceKeyOf(upload), draft));
}
