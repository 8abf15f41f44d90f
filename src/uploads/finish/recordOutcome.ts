import { ProblemError } from "../../problem/index.js";
import type { UploadChanges } from "../../storage/uploads.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, type UploadData, uploadOf } from "../records/upload.js";

/** How long a rejected upload is told apart from one that never was. */
export const tombstoneMs = 7 * 24 * 3_600_000;
/** When to ask again what could not be said now. */
const againMs = 60_000;

/** When an upload is due that could not be judged now. */
export function dueAgain({ clock }: Pick<UploadSettings, "clock">): Date {
  return new Date(clock.now() + againMs);
}

/** What becomes of the record of an upload of which nothing is left. */
export function tombstone({ clock }: Pick<UploadSettings, "clock">): UploadChanges {
  return { isOpen: false, bytes: 0, dueAt: new Date(clock.now() + tombstoneMs) };
}

/** What changes with the end of an upload; of its data only what is said here. */
export type Outcome = Omit<UploadChanges, "data"> & { readonly data?: Partial<UploadData> };

/** An upload after its outcome was to be recorded, and whether that is what stands there. */
export interface Recorded {
  readonly upload: Upload;
  readonly isOwn: boolean;
}

/**
 * Records what came of an upload, unless somebody else has meanwhile: then that counts. Who only looked at it, or sees to it as well, has ended nothing.
 *
 * @throws {ProblemError} GONE
 */
export async function recordOutcome(settings: UploadSettings, upload: Upload, { data, ...changes }: Outcome): Promise<Recorded> {
  const { id } = upload.record;
  let current: Upload | undefined = upload;
  while (current?.data.status === upload.data.status) {
    const outcome = await settings.store.update(id, current.record.version, { ...changes, data: { ...current.data, ...data } });
    if (outcome.outcome === "stored") return { upload: uploadOf(outcome.record), isOwn: true };
    current = await loadUpload(settings, id);
  }
  if (current === undefined) throw new ProblemError("GONE", "The upload was deleted.");
  return { upload: current, isOwn: false };
}
