import { randomBytes } from "node:crypto";
import { bodyChunks } from "../../http/bodyStream.js";
import { atMinimumRate } from "../../http/minimumRate.js";
import { untilAborted } from "../../http/untilAborted.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import { finishingUntil } from "../finish/beginFinishing.js";
import { refuseUpload } from "../finish/finishUpload.js";
import { leastRate } from "../plain/leastRate.js";
import { type WrittenFile, writeFile } from "../plain/writeFile.js";
import { requireRaw, wholeBody } from "../rawBody.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, uploadOf } from "../records/upload.js";
import { otherLength } from "./announcedBody.js";
import { presignedBytes } from "./presigner.js";

/**
 * Takes the body of a request as the file of an upload. Each try writes to a blob of its own, so that of two at once, in whatever processes they are, one is
 * recorded and the other leaves nothing behind. A body that breaks off leaves the upload as it was.
 *
 * @param signal ends it: a later request has come
 * @returns the upload, which is `processing`
 * @throws {ProblemError} FILE_TOO_LARGE, UPLOAD_INCOMPLETE, CHECKSUM_MISMATCH: the upload may be sent again; ALREADY_UPLOADED, GONE, UPLOAD_INTERRUPTED; what the
 *   checks of heads refuse, which ends the upload
 * @throws {ClientGone}
 */
export async function receiveDirect(settings: UploadSettings, context: Context, upload: Upload, signal: AbortSignal): Promise<Upload> {
  const { filename, declaredType, length = 0, direct } = upload.data;
  requireRaw(context.request);
  const key = `${blobKeyOf(upload.record.id)}_${randomBytes(12).toString("base64url")}`;
  const writer = await settings.blobs.open(key, { contentType: declaredType, size: length });
  let written: WrittenFile;
  try {
    const source = presignedBytes(untilAborted(bodyOf(context, length), signal), { size: length, sha256: direct?.sha256 });
    written = await writeFile(writer, { filename, declaredType, source }, settings);
  } catch (error) {
    await writer.abort().catch(() => {});
    throw signal.aborted ? interrupted() : await refused(settings, upload, error);
  }
  const received = await recordReceived(settings, upload, key);
  settings.hashes.put(upload.record.id, written.size, written.hash);
  return received;
}

function bodyOf({ request, headers, environment }: Context, limitBytes: number): AsyncIterable<Uint8Array> {
  const { limits, timers, clock } = environment;
  const chunks = bodyChunks(request, { limitBytes, stallMs: limits.bodyStallMs, timers, tooLarge: otherLength });
  return wholeBody(atMinimumRate(chunks, { ...leastRate, now: () => clock.now() }), headers);
}

/** What was found in the head of a file is found again however often it is sent. */
async function refused(settings: UploadSettings, upload: Upload, error: unknown): Promise<unknown> {
  if (!(error instanceof ProblemError) || !isVerdict(error)) return error;
  const { code, status, message: detail, extensions } = error;
  await refuseUpload(settings, upload, { code, status, detail, extensions });
  return error;
}

function isVerdict({ code, status }: ProblemError): boolean {
  return (status === 415 || status === 422) && code !== "CHECKSUM_MISMATCH";
}

/** From here on the bytes are the upload's; whoever comes later finds it taken. */
async function recordReceived(settings: UploadSettings, begun: Upload, key: string): Promise<Upload> {
  const { store, blobs } = settings;
  const { id } = begun.record;
  let upload: Upload | undefined = begun;
  while (upload?.data.status === "uploading") {
    // Where the store cannot say whether it has recorded this, the blob stays: it is found later that it belongs to the upload, or to nobody.
    const changes = { data: { ...upload.data, status: "processing" as const, key }, dueAt: finishingUntil(settings) };
    const outcome = await store.update(id, upload.record.version, changes);
    if (outcome.outcome === "stored") return uploadOf(outcome.record);
    upload = await loadUpload(settings, id);
  }
  await blobs.delete(key).catch(() => {});
  throw notOpen(upload);
}

/** What is said of an upload to which nothing can be sent. */
export function notOpen(upload: Upload | undefined): ProblemError {
  if (upload === undefined || upload.data.status === "gone")
    return new ProblemError("GONE", "The upload was ended; nothing can be sent to it any more.");
  return new ProblemError("ALREADY_UPLOADED", "The address was used already: a file is sent to it once. Ask for another one.");
}

function interrupted(): ProblemError {
  return new ProblemError("UPLOAD_INTERRUPTED", "Another request for this upload has come. Nothing of this one was kept.", {
    headers: { connection: "close" },
  });
}
