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
import { dueAgain, recordOutcome, tombstone } from "./recordOutcome.js";

const sharing = oneAtATime<Upload>();

/**
 * Makes a file of an upload that has all of its bytes: makes its blob whole, runs the checks, and records what came of it. It is done once at a time in this
 * process, and may be done again by another: only one can record.
 *
 * @returns the upload, `ready` or `rejected`; still `processing` where a check is to judge later
 * @throws {ProblemError} SCAN_UNAVAILABLE: it stays `processing`, and is tried again later
 */
export function finishUpload(settings: UploadSettings, upload: Upload): Promise<Upload> {
  return sharing(settings, upload.record.id, () => finish(settings, upload));
}

async function finish(settings: UploadSettings, upload: Upload): Promise<Upload> {
  const ended = await end(settings, upload, await checkUpload(settings, upload));
  if (ended.data.status === "gone") throw new ProblemError("GONE", "The upload was deleted.");
  return ended;
}

async function end(settings: UploadSettings, upload: Upload, checked: CheckedUpload): Promise<Upload> {
  switch (checked.verdict) {
    case "gone":
      return (await recordOutcome(settings, upload, { ...tombstone(settings), data: { status: "gone", draft: undefined } })).upload;
    case "reject":
      return refuse(settings, upload, checked);
    case "defer":
      return (await recordOutcome(settings, upload, { dueAt: dueAgain(settings) })).upload;
    case "pass":
      return ready(settings, upload, checked.file);
  }
}

async function ready(settings: UploadSettings, upload: Upload, file: StoredFile): Promise<Upload> {
  const { upload: stored, isOwn } = await markReady(settings, upload, file);
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
