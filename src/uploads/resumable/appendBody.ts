import { createHash, type Hash } from "node:crypto";
import { ClientGone } from "../../http/clientGone.js";
import { untilAborted } from "../../http/untilAborted.js";
import type { Context } from "../../operation/context.js";
import { ProblemError } from "../../problem/index.js";
import type { Draft, DraftWriter } from "../../storage/blobs.js";
import { Unavailable } from "../../storage/errors.js";
import type { AccountLimits } from "../../storage/uploads.js";
import { announcedLength } from "../announcedLength.js";
import { fileTooLarge } from "../fileTooLarge.js";
import { answeringMs, beatMs } from "../finish/heartbeat.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, type UploadData } from "../records/upload.js";
import { type RunningChecksum, runningChecksum, type UploadChecksum } from "./checksum.js";
import type { LockedChanges, UploadLock } from "./uploadLock.js";

/** A body to append to an upload. */
export interface AppendedBody {
  readonly source: AsyncIterable<Uint8Array>;
  /** The source fails at its end if its bytes are not those that were signed. */
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
 * Appends a body to an upload, and releases the lock. If the body breaks off, the received bytes are kept, unless the client sent a checksum or signed them.
 *
 * @returns the upload, `processing` if it has all of its bytes
 * @throws {ProblemError} FILE_TOO_LARGE, CHECKSUM_MISMATCH, UNAUTHENTICATED, QUOTA_EXCEEDED: nothing of the body is kept; UPLOAD_INTERRUPTED, GONE
 * @throws {ClientGone}
 */
export async function appendBody(settings: UploadSettings, lock: UploadLock, addition: AppendedBody): Promise<Upload> {
  const { record, data } = lock.upload;
  const start = data.draft;
  const writer = start && (await settings.drafts.resume(blobKeyOf(record.id), start, { isContested: data.isContested === true }));
  if (start === undefined || writer === undefined) throw new ProblemError("GONE", "The data of the upload is missing. Start it again.");
  const appending = new Appending(settings, lock, { ...addition, start, writer, before: data, reserved: record.bytes });
  try {
    await appending.receive();
    const upload = await appending.finish();
    await writer.close();
    return upload;
  } catch (error) {
    throw await appending.fail(error);
  }
}

interface Appended extends AppendedBody {
  readonly start: Draft;
  readonly writer: DraftWriter;
  readonly before: UploadData;
  /** Bytes reserved of the account's quota. */
  readonly reserved: number;
}

/** The state of one append. */
class Appending {
  readonly #settings: UploadSettings;
  readonly #lock: UploadLock;
  readonly #appended: Appended;
  readonly #hash: Hash | undefined;
  readonly #checksum: RunningChecksum | undefined;
  /** Nothing of the body may be kept before its end. */
  readonly #mustBeWhole: boolean;
  #size: number;
  #recorded: { readonly size: number; readonly atMs: number };

  constructor(settings: UploadSettings, lock: UploadLock, appended: Appended) {
    const { start, checksum, isSigned } = appended;
    this.#settings = settings;
    this.#lock = lock;
    this.#appended = appended;
    this.#size = start.size;
    this.#recorded = { size: start.size, atMs: settings.clock.now() };
    this.#hash = settings.hashes.take(lock.upload.record.id, start.size) ?? (start.size === 0 ? createHash("sha256") : undefined);
    this.#checksum = checksum && runningChecksum(checksum.algorithm);
    this.#mustBeWhole = isSigned || checksum !== undefined;
  }

  async receive(): Promise<void> {
    const { source, isSigned, length = this.#settings.maxBytes, writer } = this.#appended;
    try {
      for await (const chunk of untilAborted(source, this.#lock.signal)) {
        if (this.#size + chunk.length > length) throw tooLarge(this.#appended.length, this.#settings.maxBytes);
        // Not after a chunk: the last one is recorded by `finish`.
        if (this.#isToBeRecorded()) await this.#record();
        await writer.write(chunk);
        this.#hash?.update(chunk);
        this.#checksum?.update(chunk);
        this.#size += chunk.length;
      }
    } catch (error) {
      // All bytes have arrived, though the end of the body has not. A client that reads the offset would send nothing more, so the file is complete. A signature is
      // compared only at the end of the body.
      if (isSigned || !this.#isBreak(error) || this.#size !== this.#appended.length) throw error;
    }
  }

  /** Records the complete body. */
  async finish(): Promise<Upload> {
    const { checksum, length, writer, limits, isAcknowledged } = this.#appended;
    if (checksum !== undefined && this.#checksum?.digest().equals(checksum.digest) !== true) throw mismatch(checksum);
    const draft = await writer.flush();
    const isWhole = length !== undefined && draft.size === length;
    const now = this.#settings.clock.now();
    const data: Partial<UploadData> = { draft, length, isContested: undefined, isAcknowledged, ...(isWhole ? { status: "processing" } : {}) };
    const wholeMs = isAcknowledged ? beatMs : answeringMs(this.#settings);
    const dueMs = now + (isWhole ? wholeMs : this.#settings.expiresMs);
    await this.#lock.changeAndRelease({ data, dueMs, bytes: length ?? draft.size }, limits);
    this.#rememberHash(draft);
    return this.#lock.upload;
  }

  /** Keeps the received bytes if allowed. @returns the error to throw */
  async fail(error: unknown): Promise<unknown> {
    const { writer } = this.#appended;
    const { signal } = this.#lock;
    const isBreak = this.#isBreak(error);
    const isKept = isBreak && !this.#mustBeWhole;
    if (isKept) await this.#keep();
    // Pending writes must not overwrite bytes of the next request.
    const { isContested } = await writer.close();
    // If the body is rejected, progress that was recorded before is rolled back.
    if (!isKept && error instanceof ProblemError && error.code !== "UPLOAD_INTERRUPTED") await this.#restoreOffset(isContested);
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
    const { start, before, reserved } = this.#appended;
    const data = { draft: start, length: before.length, isContested: isContested || before.isContested };
    await this.#lock.changeAndRelease({ data, bytes: reserved }).catch(() => {});
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

  /** Call only after the bytes are recorded: before, other bytes may replace them. */
  #rememberHash(draft: Draft): void {
    if (this.#hash !== undefined && draft.size === this.#size) this.#settings.hashes.put(this.#lock.upload.record.id, draft.size, this.#hash);
  }

  #isToBeRecorded(): boolean {
    const { size, atMs } = this.#recorded;
    const { clock, expiresMs } = this.#settings;
    return this.#size - size >= recordBytes || clock.now() - atMs >= Math.min(recordMs, expiresMs / 4);
  }

  async #record(): Promise<void> {
    await this.#lock.change(await this.#recordable(), this.#appended.limits);
    this.#recorded = { size: this.#size, atMs: this.#settings.clock.now() };
  }

  /** If the body must still be verified, only the expiry time is renewed. */
  async #recordable(): Promise<LockedChanges> {
    return this.#mustBeWhole ? { dueMs: this.#dueMs() } : this.#progress(await this.#appended.writer.flush());
  }

  #progress(draft: Draft): LockedChanges {
    const { length } = this.#appended;
    return { data: { draft, length, isContested: undefined }, dueMs: this.#dueMs(), bytes: length ?? draft.size };
  }

  #dueMs(): number {
    return this.#settings.clock.now() + this.#settings.expiresMs;
  }
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

function mismatch({ algorithm, status }: UploadChecksum): ProblemError {
  const detail = `The ${algorithm} of the body is not the one in "upload-checksum"; the body was discarded.`;
  return new ProblemError("CHECKSUM_MISMATCH", detail, { status });
}
