import { createHash } from "node:crypto";
import type { Context } from "../../../engine/operation/context.js";
import { releaseChunk } from "../../../ground/http/body/ownChunks.js";
import { ClientGone } from "../../../ground/http/clientGone.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { Unavailable } from "../../../ground/storage/errors.js";
import type { Draft } from "../../../ground/storage/files/blobs.js";
import type { AccountLimits } from "../../../ground/storage/files/uploads.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { answeringMs, beatMs } from "../finish/heartbeat.js";
import { followedBytes } from "../hashedBlob.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, type UploadData } from "../records/upload.js";
import { type UploadChecksum, verifiedChunks } from "./checksum.js";
import type { HeldUpload } from "./heldUploads.js";
import type { LockedChanges, UploadLock } from "./uploadLock.js";

/** A body to append to an upload. */
export interface AppendedBody {
  /** Its bytes, to be read once. If the signal aborts, they end at once with its reason. */
  chunks(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** The chunks fail at their end if the bytes are not those that were signed. */
  readonly isSigned: boolean;
  /** Length of the whole file; `undefined` while unknown. */
  readonly length: number | undefined;
  readonly checksum: UploadChecksum | undefined;
  readonly limits: AccountLimits;
  /** Whether the client knows the URL of the upload. */
  readonly isAcknowledged: boolean;
}

/** Progress is recorded after so many bytes or milliseconds, so at most that much is lost if the process dies. Recording also keeps the upload from expiring. */
const recordBytes = 8_388_608;
const recordMs = 10_000;

/**
 * Appends a body to an upload, and releases the lock, or holds the upload for its next piece. If the body breaks off, the received bytes are kept, unless the client sent a checksum or signed them.
 *
 * @returns the upload, `processing` if it has all of its bytes
 * @throws {ProblemError} FILE_TOO_LARGE, CHECKSUM_MISMATCH, UNAUTHENTICATED, QUOTA_EXCEEDED: nothing of the body is kept; UPLOAD_INTERRUPTED, GONE
 * @throws {ClientGone}
 */
export async function appendBody(settings: UploadSettings, lock: UploadLock, addition: AppendedBody, held?: HeldUpload): Promise<Upload> {
  const opened = held ?? (await openDraft(settings, lock).catch((error: unknown) => releaseAndThrow(lock, error)));
  const { draft: start, writer, hash, recordedMs } = opened;
  const appending = new Appending(settings, lock, { ...addition, start, writer, hash, recordedMs, before: lock.upload.data });
  try {
    await appending.receive();
    return await appending.finish();
  } catch (error) {
    throw await appending.fail(error);
  }
}

async function releaseAndThrow(lock: UploadLock, error: unknown): Promise<never> {
  await lock.release();
  throw error;
}

type OpenedDraft = Pick<HeldUpload, "draft" | "writer" | "hash" | "recordedMs">;

/** @throws {ProblemError} GONE */
async function openDraft({ drafts, hashes, monotonic }: UploadSettings, lock: UploadLock): Promise<OpenedDraft> {
  const { record, data } = lock.upload;
  const { draft } = data;
  const writer = draft && (await drafts.resume(blobKeyOf(record.id), draft, { isContested: data.isContested === true }));
  if (draft === undefined || writer === undefined) throw new ProblemError("GONE", "The data of the upload is missing. Start it again.");
  const isFollowed = drafts.follow !== undefined && (data.length ?? Number.POSITIVE_INFINITY) > followedBytes;
  const begun = draft.size === 0 && !isFollowed ? createHash("sha256") : undefined;
  const hash = hashes.take(record.id, draft.size) ?? begun;
  return { draft, writer, hash, recordedMs: monotonic() };
}

interface Appended extends AppendedBody, Omit<OpenedDraft, "draft"> {
  readonly start: Draft;
  readonly before: UploadData;
}

/** The state of one append. */
class Appending {
  readonly #settings: UploadSettings;
  readonly #lock: UploadLock;
  readonly #appended: Appended;
  /** Nothing of the body may be kept before its end. */
  readonly #mustBeWhole: boolean;
  #size: number;
  /** More than `#size` if the store refused bytes: a chunk is hashed before it is written, since it may be empty afterwards. */
  #hashedSize: number;
  #recorded: { readonly size: number; readonly atMs: number };

  constructor(settings: UploadSettings, lock: UploadLock, appended: Appended) {
    const { start, checksum, isSigned, recordedMs } = appended;
    this.#settings = settings;
    this.#lock = lock;
    this.#appended = appended;
    this.#size = start.size;
    this.#hashedSize = start.size;
    this.#recorded = { size: start.size, atMs: recordedMs };
    this.#mustBeWhole = isSigned || checksum !== undefined;
  }

  async receive(): Promise<void> {
    const { chunks, checksum, length = this.#settings.maxBytes, writer, hash } = this.#appended;
    try {
      for await (const chunk of verifiedChunks(chunks(this.#lock.signal), checksum)) {
        if (this.#size + chunk.length > length) throw tooLarge(this.#appended.length, this.#settings.maxBytes);
        // Not after a chunk: the last one is recorded by `finish`.
        if (this.#isToBeRecorded()) await this.#record();
        hash?.update(chunk);
        this.#hashedSize += chunk.length;
        await writer.write(chunk, releaseChunk);
        this.#size = this.#hashedSize;
      }
    } catch (error) {
      // All bytes have arrived, though the end of the body has not. A client that reads the offset would send nothing more, so the file is complete. A signature and a
      // checksum are compared only at the end of the body.
      if (this.#mustBeWhole || !this.#isBreak(error) || this.#size !== this.#appended.length) throw error;
    }
  }

  /** Records the complete body, unless the blob store can tell later that it has it. */
  async finish(): Promise<Upload> {
    const { length, writer, limits, isAcknowledged } = this.#appended;
    if (this.#canBeAhead()) return this.#hold();
    const draft = await writer.flush();
    const isWhole = length !== undefined && draft.size === length;
    const now = this.#settings.clock.now();
    const data: Partial<UploadData> = { ...recordedUpTo(draft), length, isAcknowledged, ...(isWhole ? { status: "processing" } : {}) };
    const wholeMs = isAcknowledged ? beatMs : answeringMs(this.#settings);
    const dueMs = now + (isWhole ? wholeMs : this.#settings.expiresMs);
    await this.#lock.changeAndRelease({ data, dueMs, bytes: length ?? draft.size }, limits);
    this.#rememberHash(draft);
    await writer.close();
    return this.#lock.upload;
  }

  /** Whether the bytes may be acknowledged before they are durable and recorded: if this process dies, the next holder of the lock finds them in the blob store. */
  #canBeAhead(): boolean {
    const { writer, length, isAcknowledged } = this.#appended;
    const { durability, drafts } = this.#settings;
    const isPossible = durability === "file" && writer.handOver !== undefined && drafts.recover !== undefined;
    return isPossible && isAcknowledged && !this.#mustBeWhole && length !== undefined && this.#size < length;
  }

  /** Acknowledges the body without a change of the record, if that has been prepared and the lock is certain. Otherwise the record is changed, but not released. */
  async #hold(): Promise<Upload> {
    const { writer, start, length, limits, hash } = this.#appended;
    await writer.handOver?.();
    let draft: Draft = { ...start, size: this.#size };
    if (this.#lock.upload.data.isAhead !== true || !this.#lock.isCertain || this.#isToBeRecorded()) {
      draft = await writer.flush();
      const data = { ...recordedUpTo(draft), isAhead: true, length, isAcknowledged: true } as const;
      await this.#lock.change({ data, dueMs: this.#dueMs(), bytes: length }, limits);
      this.#recorded = { size: draft.size, atMs: this.#settings.monotonic() };
    }
    const held = { lock: this.#lock, writer, draft, hash, recordedMs: this.#recorded.atMs };
    this.#lock.acknowledge(draft.size);
    this.#followBytes(draft);
    this.#settings.held.hold({ ...held, end: () => this.#end() });
    return { record: this.#lock.upload.record, data: { ...this.#lock.upload.data, draft } };
  }

  /** Ends the holding of the upload. If its bytes cannot be recorded, the next holder of the lock recovers them. */
  async #end(): Promise<void> {
    await this.#keep();
    await this.#appended.writer.close();
    await this.#lock.release();
  }

  /** Keeps the received bytes if allowed. @returns the error to throw */
  async fail(error: unknown): Promise<unknown> {
    const { writer } = this.#appended;
    const { signal } = this.#lock;
    const isBreak = this.#isBreak(error);
    const isKept = isBreak && !this.#mustBeWhole;
    if (isKept) await this.#keep();
    // The acknowledged bytes before this body must be durable before the record says so.
    const isAhead = !isKept && this.#lock.upload.data.isAhead === true;
    const isDurable = !isAhead || (await isDone(writer.flush()));
    // Pending writes must not overwrite bytes of the next request.
    const { isContested } = await writer.close();
    // If the body is rejected, progress that was recorded before is rolled back.
    const isRejected = !isKept && error instanceof ProblemError && error.code !== "UPLOAD_INTERRUPTED";
    if (isDurable && (isRejected || isAhead || this.#mustBeWhole)) await this.#restoreOffset(isContested);
    await this.#lock.release(isContested ? { data: { isContested } } : {});
    if (error instanceof ClientGone || !isBreak) return error;
    const headers = { "upload-offset": String(this.#lock.upload.data.draft?.size ?? 0), connection: "close" };
    const why = signal.aborted ? "Another request for this upload arrived." : "No data arrived for too long.";
    return new ProblemError("UPLOAD_INTERRUPTED", `${why} The data ${isKept ? "so far" : "before this request"} is kept.`, { headers });
  }

  /** Whether the body broke off (interrupt, disconnect or timeout); otherwise it was rejected, or an operation failed. */
  #isBreak(error: unknown): boolean {
    return this.#lock.signal.aborted || error instanceof ClientGone || (error instanceof ProblemError && error.code === "REQUEST_TIMEOUT");
  }

  /** Restores the previous draft. If the previous draft was contested, it is contested again. */
  async #restoreOffset(isContested: boolean): Promise<void> {
    const { start, before } = this.#appended;
    const data = { ...recordedUpTo(start), length: before.length, isContested: isContested || before.isContested };
    await this.#lock.changeAndRelease({ data, bytes: before.length ?? start.size }).catch(() => {});
  }

  async #keep(): Promise<void> {
    try {
      const draft = await this.#appended.writer.flush();
      await this.#lock.changeAndRelease(this.#progress(draft), this.#appended.limits);
      this.#rememberHash(draft);
    } catch (error) {
      if (error instanceof Unavailable) this.#settings.logger.warn({ err: error }, "Storing the data of an interrupted upload failed.");
    }
  }

  /** Call only after the bytes are acknowledged or recorded: before, other bytes may replace them. */
  #rememberHash(draft: Draft): void {
    this.#followBytes(draft);
    const { hash } = this.#appended;
    if (hash !== undefined && draft.size === this.#hashedSize) this.#settings.hashes.put(this.#lock.upload.record.id, draft.size, hash);
  }

  #followBytes(draft: Draft): void {
    const { drafts } = this.#settings;
    const isUnknown = this.#appended.hash === undefined && draft.size > followedBytes;
    if (isUnknown) void drafts.follow?.(blobKeyOf(this.#lock.upload.record.id), draft).catch(() => {});
  }

  #isToBeRecorded(): boolean {
    const { size, atMs } = this.#recorded;
    const { monotonic, expiresMs } = this.#settings;
    const isFar = this.#size - size >= recordBytes && this.#lock.upload.data.isAhead !== true;
    return isFar || monotonic() - atMs >= Math.min(recordMs, expiresMs / 4);
  }

  async #record(): Promise<void> {
    await this.#lock.change(await this.#recordable(), this.#appended.limits);
    this.#recorded = { size: this.#size, atMs: this.#settings.monotonic() };
  }

  /** If the body must still be verified, its bytes only count. */
  async #recordable(): Promise<LockedChanges> {
    if (this.#mustBeWhole) return { dueMs: this.#dueMs(), bytes: this.#appended.length ?? this.#size };
    const { isAhead } = this.#lock.upload.data;
    const { data, ...changes } = this.#progress(await this.#appended.writer.flush());
    return { ...changes, data: { ...data, isAhead } };
  }

  #progress(draft: Draft): LockedChanges {
    const { length } = this.#appended;
    return { data: { ...recordedUpTo(draft), length }, dueMs: this.#dueMs(), bytes: length ?? draft.size };
  }

  #dueMs(): number {
    return this.#settings.clock.now() + this.#settings.expiresMs;
  }
}

/** The draft has all acknowledged bytes, and no other writer can change them. */
function recordedUpTo(draft: Draft): Pick<UploadData, "draft" | "isAhead" | "isContested"> {
  return { draft, isAhead: undefined, isContested: undefined };
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** @throws {ProblemError} FILE_TOO_LARGE if the Content-Length is too large, MALFORMED_HEADER */
export function requireRoom(
  { maxBytes }: UploadSettings,
  { headers }: Pick<Context, "headers">,
  { offset, length }: { readonly offset: number; readonly length: number | undefined },
): void {
  if (offset + (announcedLength(headers) ?? 0) > (length ?? maxBytes)) throw tooLarge(length, maxBytes);
}

/** The problem for bytes beyond the announced or the maximum length. */
export function tooLarge(length: number | undefined, maximum: number): ProblemError {
  if (length === undefined) return fileTooLarge(maximum);
  return new ProblemError("FILE_TOO_LARGE", `The upload was announced with ${length} bytes, but more arrived.`, { extensions: { limit: length } });
}
