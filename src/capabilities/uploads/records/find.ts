import type { Context } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { UploadSettings } from "./settings.js";
import { type Upload, uploadOf } from "./upload.js";

/** The problem for an upload that does not exist or belongs to another principal: both get the same response. */
export function noSuchUpload(id: string): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no upload "${id.slice(0, 64)}".`);
}

/** Loads an upload by id, without a check of its owner. */
export async function loadUpload({ store }: Pick<UploadSettings, "store">, id: string): Promise<Upload | undefined> {
  const record = /^[0-9a-f]{32}$/.test(id) ? await store.get(id) : undefined;
  return record && uploadOf(record);
}

/**
 * Loads the upload of the request path.
 *
 * @throws {ProblemError} NOT_FOUND, also if the principal may not access it
 */
export async function findUpload(settings: UploadSettings, context: Context): Promise<Upload> {
  const id = context.params[0] ?? "";
  const upload = await loadUpload(settings, id);
  if (upload === undefined || !isOwn(settings, upload, context)) throw noSuchUpload(id);
  return upload;
}

/** Like {@link findUpload}, but only if the upload has not ended. @throws {ProblemError} NOT_FOUND, EXPIRED, GONE */
export async function findLiving(settings: UploadSettings, context: Context): Promise<Upload> {
  const upload = await findUpload(settings, context);
  requireLiving(settings, upload);
  return upload;
}

/** @throws {ProblemError} GONE, EXPIRED */
export function requireLiving({ clock }: UploadSettings, { record, data }: Upload): void {
  if (data.status === "gone" || data.status === "rejected") throw new ProblemError("GONE", "The upload has ended; its data was removed.");
  if (data.status === "uploading" && record.dueAt !== undefined && record.dueAt.getTime() <= clock.now()) {
    throw new ProblemError("EXPIRED", `The upload expired at ${record.dueAt.toISOString()}. Start it again.`);
  }
}

/** Whether a principal may access an upload: as its owner, or as an administrator of its tenant. */
function isOwn(settings: UploadSettings, upload: Upload, context: Pick<Context, "principal">): boolean {
  return isOwner(upload, context) || isAdminOf(settings, upload, context);
}

/** Whether the principal is an administrator of the tenant of an upload. */
export function isAdminOf({ isAdmin }: Pick<UploadSettings, "isAdmin">, { record }: Upload, { principal }: Pick<Context, "principal">): boolean {
  return record.tenant === principal.tenant && isAdmin(principal);
}

/** Whether the principal owns an upload. Only the owner may add bytes, because the upload counts against the owner's limits. */
export function isOwner({ record }: Upload, { principal }: Pick<Context, "principal">): boolean {
  return record.tenant === principal.tenant && record.owner === principal.id;
}
