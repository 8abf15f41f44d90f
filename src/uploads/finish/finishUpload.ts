import { ProblemError } from "../../problem/index.js";
import type { Rejection } from "../checks/fileCheck.js";
import { declaredTypeOf } from "../checks/readCheckInput.js";
import { rejectionProblem } from "../checks/rejection.js";
import { extensionOf } from "../checks/types/extensionOf.js";
import { rejectClaim } from "../checks/types/typeCheck.js";
import type { UploadSettings } from "../records/settings.js";
import { type StoredFile, type StoredProblem, sourceKeyOf, type Upload } from "../records/upload.js";
import { type CheckedUpload, checkUpload } from "./checkUpload.js";
import { announceReady, markReady } from "./markReady.js";
import { oneAtATime } from "./oneAtATime.js";
import { dueAgain, type Recorded, recordOutcome, tombstone } from "./recordOutcome.js";

const sharing = oneAtATime<Upload>();

/** Has a file recorded: by itself, or together with something else. */
export type RecordFile = (write: (settings: UploadSettings) => Promise<Recorded>) => Promise<Recorded>;

/**
 * Makes a file of an upload that has all of its bytes: makes its blob whole, runs the checks, and records what came of it. It is done once at a time in this
 * process, and may be done again by another: only one can record.
 *
 * @param record how it is recorded that there is a file; by itself unless given
 * @returns the upload, `ready` or `rejected`; still `processing` where a check is to judge later
 * @throws {ProblemError} SCAN_UNAVAILABLE: it stays `processing`, and is tried again later
 */
export function finishUpload(settings: UploadSettings, upload: Upload, record: RecordFile = (write) => write(settings)): Promise<Upload> {
  return sharing(settings, upload.record.id, () => finish(settings, upload, record));
}

async function finish(settings: UploadSettings, upload: Upload, record: RecordFile): Promise<Upload> {
  const ended = await end(settings, upload, { checked: await checkUpload(settings, upload), record });
  if (ended.data.status === "gone") throw deletedUpload();
  return ended;
}

/** What is said of an upload that was deleted while it was finished. */
export function deletedUpload(): ProblemError {
  return new ProblemError("GONE", "The upload was deleted.");
}

interface Ending {
  readonly checked: CheckedUpload;
  readonly record: RecordFile;
}

async function end(settings: UploadSettings, upload: Upload, { checked, record }: Ending): Promise<Upload> {
  switch (checked.verdict) {
    case "gone":
      return (await recordOutcome(settings, upload, { ...tombstone(settings), data: { status: "gone", draft: undefined } })).upload;
    case "reject":
      return refuse(settings, upload, checked);
    case "defer":
      return (await recordOutcome(settings, upload, { dueAt: dueAgain(settings) })).upload;
    case "pass":
      return ready(settings, upload, { file: checked.file, record });
  }
}

async function ready(
  settings: UploadSettings,
  upload: Upload,
  { file, record }: { readonly file: StoredFile; readonly record: RecordFile },
): Promise<Upload> {
  const { upload: stored, isOwn } = await record((within) => markReady(within, upload, file));
  if (isOwn) await announceReady(settings, stored);
  // Somebody else has ended it: what was made here is nobody's.
  else if (![stored.data.file?.key, sourceKeyOf(upload)].includes(file.key)) await settings.blobs.delete(file.key).catch(() => {});
  return stored;
}

async function refuse(settings: UploadSettings, upload: Upload, rejection: Rejection): Promise<Upload> {
  if (rejection.status === 503) {
    const { upload: stored, isOwn } = await recordOutcome(settings, upload, { dueAt: dueAgain(settings) });
    if (isOwn) throw rejectionProblem(rejection);
    return stored;
  }
  const { code, status, detail, extensions } = rejection;
  return refuseUpload(settings, upload, { code, status, detail, extensions });
}

/** Ends an upload whose file is not taken, records why, and removes its bytes. */
export async function refuseUpload(settings: UploadSettings, upload: Upload, problem: StoredProblem): Promise<Upload> {
  const data = { status: "rejected", draft: undefined, problem } as const;
  const { upload: stored, isOwn } = await recordOutcome(settings, upload, { ...tombstone(settings), data });
  // Not before: somebody else may have made a file of them.
  if (isOwn) await settings.blobs.delete(sourceKeyOf(upload));
  return stored;
}

/** @throws {ProblemError} TYPE_NOT_ALLOWED for a file that is refused by what is said of it */
export function requireClaim({ types }: Pick<UploadSettings, "types">, filename: string, declaredType: string | undefined): void {
  const rejection = rejectClaim(types, { extension: extensionOf(filename), declaredType: declaredTypeOf(declaredType) });
  if (rejection !== undefined) throw rejectionProblem(rejection);
}
