import type { Context } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { AccountLimits } from "../../../ground/storage/files/uploads.js";
import type { FileCheck } from "../../../parts/checks/fileCheck.js";
import { answeringMs } from "../finish/heartbeat.js";
import { removeBlobs } from "../finish/record.js";
import { HashedBlobWriter } from "../hashedBlob.js";
import { createUpload, newUploadId, outcomeProblem, overQuota, storeWithin } from "../records/create.js";
import type { UploadSettings } from "../records/settings.js";
import { type AnnouncedFile, blobKeyOf, type Upload, type UploadKind, uploadOf } from "../records/upload.js";
import { requireAcceptedClaim } from "../requireAcceptedClaim.js";
import { writeFile } from "./writeFile.js";

/** A file that is sent as one body or as a part of a form. */
export interface ArrivingFile extends AnnouncedFile {
  readonly kind: Extract<UploadKind, "plain" | "form">;
  readonly source: AsyncIterable<Uint8Array>;
  /** Announced size in bytes. */
  readonly length?: number | undefined;
  readonly visibility?: UploadSettings["visibility"] | undefined;
  /** Accepted types and checks, if they differ from those of `uploads`. */
  readonly types?: UploadSettings["types"] | undefined;
  readonly checks?: readonly FileCheck[] | undefined;
  /** Maximum number of files in its form; they are checked together. */
  readonly maxFiles?: number | undefined;
}

/** A received file, before its full checks. */
export interface ReceivedFile {
  readonly upload: Upload;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
}

/**
 * Receives a file. Its first bytes are checked before the rest is read. If the file is rejected or breaks off, nothing of it is kept.
 *
 * @throws {ProblemError} TYPE_NOT_ALLOWED and other problems of head checks, QUOTA_EXCEEDED, errors of the source
 */
export async function receiveFile(
  settings: UploadSettings,
  context: Pick<Context, "principal" | "authRequest">,
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
    maxFiles,
  } = file;
  requireAcceptedClaim({ types }, filename, declaredType);
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
  let writer: HashedBlobWriter | undefined;
  try {
    const requireRoom = length === undefined ? await roomCheck(settings, arriving.upload, limits) : undefined;
    writer = await HashedBlobWriter.open(settings.blobs, blobKeyOf(id), { size: length });
    const checkSize = (size: number) => {
      requireRoom?.(size);
      return arriving.keepAlive();
    };
    const { size, sha256 } = await writeFile(writer, { ...file, isFollowed: kind === "form" }, { ...settings, checks }, checkSize);
    const received = await recordReceived({ ...settings, checks }, arriving.upload, { size, maxFiles }, limits);
    settings.hashes.put(id, size, sha256);
    return { upload: received, sha256 };
  } catch (error) {
    await writer?.abort().catch(() => {});
    await forget(settings, arriving.upload);
    throw error;
  }
}

/** A file without an announced size reserves no quota until it has arrived. This check stops it as soon as it exceeds the quota. */
async function roomCheck(settings: UploadSettings, { record }: Upload, { maxBytes }: AccountLimits): Promise<((size: number) => void) | undefined> {
  if (maxBytes === undefined) return undefined;
  await settings.endExpired(record);
  const use = await settings.store.use(record.tenant, record.account);
  return (size) => {
    if (use.bytes + size > maxBytes) throw overQuota(use, maxBytes, size);
  };
}

async function recordReceived(
  settings: UploadSettings,
  { record, data }: Upload,
  { size, maxFiles }: Pick<ArrivingFile, "maxFiles"> & { readonly size: number },
  limits: AccountLimits,
): Promise<Upload> {
  // Processes that find the record due treat its request as dead, so it must not be due before the response.
  const checkingMs = answeringMs(settings, maxFiles);
  // A file of a form waits for the files after it.
  const dueAt = new Date(settings.clock.now() + (data.kind === "form" ? Math.max(settings.expiresMs, checkingMs) : checkingMs));
  const changes = { data: { ...data, status: "processing" as const, length: size }, bytes: size, dueAt };
  const outcome = await storeWithin(settings, record, () => settings.store.update(record.id, record.version, changes, limits));
  if (outcome.outcome === "stored") return uploadOf(outcome.record);
  throw outcome.outcome === "conflict"
    ? new ProblemError("GONE", "The upload was deleted while it was received.")
    : outcomeProblem(outcome, limits, size);
}

/** Removes a file and its record. If this fails, the sweep removes them when they are due. */
export async function forget(settings: UploadSettings, upload: Upload): Promise<void> {
  const { store, logger } = settings;
  const { record } = upload;
  try {
    // The record is removed first, so that a ready file never lacks its bytes.
    let current = await store.get(record.id);
    while (current !== undefined && !(await store.remove(record.id, current.version))) current = await store.get(record.id);
    await removeBlobs(settings, current === undefined ? upload : uploadOf(current));
  } catch (error) {
    logger.warn({ err: error }, "Removing the data of a refused upload failed; the sweep will remove it.");
  }
}

/** An upload whose bytes arrive as one body; it is renewed while they arrive. */
class ArrivingUpload {
  readonly #settings: UploadSettings;
  #upload: Upload;
  #renewedMs: number;

  constructor(settings: UploadSettings, upload: Upload) {
    this.#settings = settings;
    this.#upload = upload;
    this.#renewedMs = settings.clock.now();
  }

  get upload(): Upload {
    return this.#upload;
  }

  /** Keeps the upload from expiring; to be called with each chunk. `undefined` as long as there is time. @throws {ProblemError} GONE */
  keepAlive(): Promise<void> | undefined {
    const { clock, expiresMs } = this.#settings;
    return clock.now() - this.#renewedMs >= expiresMs / 4 ? this.#renew() : undefined;
  }

  async #renew(): Promise<void> {
    const { store, clock, expiresMs } = this.#settings;
    const { id, version } = this.#upload.record;
    const now = clock.now();
    const outcome = await store.update(id, version, { dueAt: new Date(now + expiresMs) });
    if (outcome.outcome !== "stored") throw new ProblemError("GONE", "The upload was deleted while it was received.");
    this.#upload = uploadOf(outcome.record);
    this.#renewedMs = now;
  }
}
