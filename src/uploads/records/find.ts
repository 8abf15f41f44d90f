import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { UploadSettings } from "./settings.js";
import { type Upload, uploadOf } from "./upload.js";

/** What is said of an upload that is not there, or another's: the same. */
export function noSuchUpload(id: string): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no upload "${id.slice(0, 64)}".`);
}

/** The upload of an id, whosever it is. */
export async function loadUpload({ store }: Pick<UploadSettings, "store">, id: string): Promise<Upload | undefined> {
  const record = /^[0-9a-f]{32}$/.test(id) ? await store.get(id) : undefined;
  return record && uploadOf(record);
}

/**
 * The upload that a path names, where it is the principal's.
 *
 * @throws {ProblemError} NOT_FOUND
 */
export async function findUpload(settings: UploadSettings, context: Context): Promise<Upload> {
  const id = context.params[0] ?? "";
  const upload = await loadUpload(settings, id);
  if (upload === undefined || !isOwn(settings, upload, context)) throw noSuchUpload(id);
  return upload;
}

/** The same where it is not gone. @throws {ProblemError} NOT_FOUND, EXPIRED, GONE */
export async function findLiving(settings: UploadSettings, context: Context): Promise<Upload> {
  const upload = await findUpload(settings, context);
  requireLiving(settings, upload);
  return upload;
}

/** @throws {ProblemError} GONE, EXPIRED */
export function requireLiving({ clock }: UploadSettings, { record, data }: Upload): void {
  if (data.status === "gone" || data.status === "rejected") throw new ProblemError("GONE", "The upload was ended; nothing of it is left.");
  if (data.status === "uploading" && record.dueAt !== undefined && record.dueAt.getTime() <= clock.now()) {
    throw new ProblemError("EXPIRED", `The upload was kept until ${record.dueAt.toISOString()}. Begin it again.`);
  }
}

/** Whether a principal may know of an upload: its owner may, and whoever sees those of others. */
export function isOwn(settings: UploadSettings, upload: Upload, context: Pick<Context, "principal">): boolean {
  return isOwner(upload, context) || (upload.record.tenant === context.principal.tenant && settings.isAdmin(context.principal));
}

/** Whether an upload is the principal's: it counts under its limits, so nobody else makes more of it. */
export function isOwner({ record }: Upload, { principal }: Pick<Context, "principal">): boolean {
  return record.tenant === principal.tenant && record.owner === principal.id;
}
