import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { BlobWriter } from "../../storage/blobs.js";
import type { AccountLimits } from "../../storage/uploads.js";
import type { FileCheck } from "../checks/fileCheck.js";
import { answeringMs } from "../finish/beginFinishing.js";
import { removeBlobs } from "../finish/discardUpload.js";
import { requireClaim } from "../finish/finishUpload.js";
import { createUpload, newUploadId, outcomeProblem, overQuota } from "../records/create.js";
import type { UploadSettings } from "../records/settings.js";
import { type AnnouncedFile, blobKeyOf, type Upload, type UploadKind, uploadOf } from "../records/upload.js";
import { ArrivingUpload } from "./arrivingUpload.js";
import { type SizeCheck, writeFile } from "./writeFile.js";

/** A file that comes as one. */
export interface ArrivingFile extends AnnouncedFile {
  readonly kind: Extract<UploadKind, "plain" | "form">;
  readonly source: AsyncIterable<Uint8Array>;
  /** In bytes, where the client says. */
  readonly length?: number | undefined;
  readonly visibility?: UploadSettings["visibility"] | undefined;
  /** What may be said against it, where that is not the same for all files. */
  readonly types?: UploadSettings["types"] | undefined;
  readonly checks?: readonly FileCheck[] | undefined;
  /** How many files there may be in its form; they are checked together. */
  readonly mostFiles?: number | undefined;
}

/** A file that has arrived, and is still to be checked as a whole. */
export interface ReceivedFile {
  readonly upload: Upload;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Takes a file in. Its first bytes are judged before the rest is read; nothing is left of one that is refused or breaks off.
 *
 * @throws {ProblemError} TYPE_NOT_ALLOWED and what else the checks of heads refuse, QUOTA_EXCEEDED, what the source throws
 */
export async function receiveFile(
  settings: UploadSettings,
  context: Pick<Context, "principal" | "request">,
  file: ArrivingFile,
): Promise<ReceivedFile> {
  const {
    kind,
    filename,
    declaredType,
    field,
    form,
    length,
    types = settings.types,
    checks = settings.checks,
    visibility = settings.visibility,
    mostFiles,
  } = file;
  requireClaim({ types }, filename, declaredType);
  const limits = await settings.limitsOf(context.principal);
  const id = newUploadId();
  const known = {
    id,
    kind,
    status: "uploading",
    visibility,
    filename,
    declaredType,
    field,
    form,
    isAcknowledged: false,
    bytes: length ?? 0,
  } as const;
  const arriving = new ArrivingUpload(settings, await createUpload(settings, context, known, limits));
  let writer: BlobWriter | undefined;
  try {
    const requireRoom = length === undefined ? await roomCheck(settings, arriving.upload, limits) : undefined;
    writer = await settings.blobs.open(blobKeyOf(id), { size: length });
    const bytes = { ...file, source: arriving.watch(file.source), isFollowed: kind === "form" };
    const { size, hash } = await writeFile(writer, bytes, { ...settings, checks }, requireRoom);
    const received = await recordReceived({ ...settings, checks }, arriving.upload, { size, mostFiles }, limits);
    const sha256 = hash.copy().digest("hex");
    settings.hashes.put(id, size, hash);
    return { upload: received, sha256 };
  } catch (error) {
    await writer?.abort().catch(() => {});
    await forget(settings, arriving.upload);
    throw error;
  }
}

/** What nobody has announced is not reserved until it is there; what can have no room is not read to its end for that. */
async function roomCheck({ store }: UploadSettings, { record }: Upload, { mostBytes }: AccountLimits): Promise<SizeCheck | undefined> {
  if (mostBytes === undefined) return undefined;
  const use = await store.use(record.tenant, record.account);
  return (size) => {
    if (use.bytes + size > mostBytes) throw overQuota(use, mostBytes, size);
  };
}

async function recordReceived(
  settings: UploadSettings,
  { record, data }: Upload,
  { size, mostFiles }: Pick<ArrivingFile, "mostFiles"> & { readonly size: number },
  limits: AccountLimits,
): Promise<Upload> {
  // Until it is answered for, whoever finds it due takes its request for dead.
  const checkingMs = answeringMs(settings, mostFiles);
  // A file of a form waits for those behind it.
  const dueAt = new Date(settings.clock.now() + (data.kind === "form" ? Math.max(settings.expiresMs, checkingMs) : checkingMs));
  const changes = { data: { ...data, status: "processing" as const, length: size }, bytes: size, dueAt };
  const outcome = await settings.store.update(record.id, record.version, changes, limits);
  if (outcome.outcome === "stored") return uploadOf(outcome.record);
  throw outcome.outcome === "conflict" ? new ProblemError("GONE", "The upload was deleted while it came.") : outcomeProblem(outcome, limits, size);
}

/** Leaves nothing of a file; what cannot be removed now is when it is due. */
export async function forget(settings: UploadSettings, upload: Upload): Promise<void> {
  const { store, logger } = settings;
  const { record } = upload;
  try {
    // The record goes first: one of a file that is ready must not be left without its bytes.
    let current = await store.get(record.id);
    while (current !== undefined && !(await store.remove(record.id, current.version))) current = await store.get(record.id);
    await removeBlobs(settings, current === undefined ? upload : uploadOf(current));
  } catch (error) {
    logger.warn({ err: error }, "What is left of an upload that was refused could not be removed.");
  }
}
