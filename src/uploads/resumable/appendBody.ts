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
import { answeringMs, finishingMs } from "../finish/beginFinishing.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type Upload, type UploadData } from "../records/upload.js";
import { type RunningChecksum, runningChecksum, type UploadChecksum } from "./checksum.js";
import type { HeldChanges, HeldUpload } from "./heldUpload.js";

/** What comes behind what has arrived already. */
export interface Addition {
  readonly source: AsyncIterable<Uint8Array>;
  /** Length of the whole file, where it is known by now. */
  readonly length: number | undefined;
  readonly checksum: UploadChecksum | undefined;
  readonly limits: AccountLimits;
  /** Whether the client knows where the upload is. */
  readonly isAcknowledged: boolean;
}

/** What is durable is recorded after so many bytes, or so many milliseconds: no more than that is lost when a process dies. What comes is also kept from being given up. */
const recordBytes = 8_388_608;
const recordMs = 10_000;

/**
 * Adds a body to an upload, and releases it. What arrived of a body that breaks off stays, unless a checksum was to prove it.
 *
 * @returns the upload, which is `processing` once it has all of its bytes
 * @throws {ProblemError} FILE_TOO_LARGE, CHECKSUM_MISMATCH, QUOTA_EXCEEDED: nothing of the body was kept; UPLOAD_INTERRUPTED, GONE
 * @throws {ClientGone}
 */
export async function appendBody(settings: UploadSettings, held: HeldUpload, addition: Addition): Promise<Upload> {
  const { record, data } = held.upload;
  const start = data.draft;
  const writer = start && (await settings.drafts.resume(blobKeyOf(record.id), start, { isContested: data.isContested === true }));
  if (start === undefined || writer === undefined)
    throw new ProblemError("GONE", "What had arrived of the upload is not there any more. Begin it again.");
  const appending = new Appending(settings, held, { ...addition, start, writer, before: data, reserved: record.bytes });
  try {
    await appending.receive();
    const upload = await appending.finish();
    await writer.close();
    return upload;
  } catch (error) {
    throw await appending.fail(error);
  }
}

interface Appended extends Addition {
  readonly start: Draft;
  readonly writer: DraftWriter;
  readonly before: UploadData;
  /** In bytes, of the account. */
  readonly reserved: number;
}

/** One body on its way. */
class Appending {
  readonly #settings: UploadSettings;
  readonly #held: HeldUpload;
  readonly #appended: Appended;
  readonly #hash: Hash | undefined;
  readonly #checksum: RunningChecksum | undefined;
  #size: number;
  #recorded: { readonly size: number; readonly atMs: number };

  constructor(settings: UploadSettings, held: HeldUpload, appended: Appended) {
    const { start, checksum } = appended;
    this.#settings = settings;
    this.#held = held;
    this.#appended = appended;
    this.#size = start.size;
    this.#recorded = { size: start.size, atMs: settings.clock.now() };
    this.#hash = settings.hashes.take(held.upload.record.id, start.size) ?? (start.size === 0 ? createHash("sha256") : undefined);
    this.#checksum = checksum && runningChecksum(checksum.algorithm);
  }

  async receive(): Promise<void> {
    const { source, length = this.#settings.maximumBytes, writer } = this.#appended;
    try {
      for await (const chunk of untilAborted(source, this.#held.signal)) {
        if (this.#size + chunk.length > length) throw tooLarge(this.#appended.length, this.#settings.maximumBytes);
        await writer.write(chunk);
        this.#hash?.update(chunk);
        this.#checksum?.update(chunk);
        this.#size += chunk.length;
        if (this.#isToBeRecorded()) await this.#record();
      }
    } catch (error) {
      // Whoever asks is told that no byte is missing, and sends nothing more: it is the end, though that of the body has not come.
      if (!this.#isBreak(error) || this.#size !== this.#appended.length) throw error;
    }
  }

  /** All of the body is there. */
  async finish(): Promise<Upload> {
    const { checksum, length, writer, limits, isAcknowledged } = this.#appended;
    if (checksum !== undefined && this.#checksum?.digest().equals(checksum.digest) !== true) throw mismatch(checksum);
    const draft = await writer.flush();
    const isWhole = length !== undefined && draft.size === length;
    const now = this.#settings.clock.now();
    const data: Partial<UploadData> = { draft, length, isContested: undefined, isAcknowledged, ...(isWhole ? { status: "processing" } : {}) };
    const wholeMs = isAcknowledged ? finishingMs : answeringMs(this.#settings);
    const dueMs = now + (isWhole ? wholeMs : this.#settings.expiresMs);
    await this.#held.release({ data, dueMs, bytes: length ?? draft.size }, limits);
    this.#rememberHash(draft);
    return this.#held.upload;
  }

  /** Keeps what may be kept. @returns what to throw */
  async fail(error: unknown): Promise<unknown> {
    const { checksum, writer } = this.#appended;
    const { signal } = this.#held;
    const isBreak = this.#isBreak(error);
    const isKept = isBreak && checksum === undefined;
    if (isKept) await this.#keep();
    // What is still being written must not land among the bytes of whoever comes next.
    const { isContested } = await writer.close();
    // What was recorded on the way is taken back: a body that is refused leaves nothing.
    if (!isKept && error instanceof ProblemError && error.code !== "UPLOAD_INTERRUPTED") await this.#takeBack(isContested);
    await this.#held.leave(isContested ? { data: { isContested } } : {});
    if (error instanceof ClientGone || !isBreak) return error;
    const headers = { "upload-offset": String(this.#held.upload.data.draft?.size ?? 0), connection: "close" };
    const why = signal.aborted ? "Another request for this upload has come." : "Nothing has come for too long.";
    return new ProblemError("UPLOAD_INTERRUPTED", `${why} What arrived is kept.`, { headers });
  }

  /** Whether the body ended too early, through no fault of its bytes. */
  #isBreak(error: unknown): boolean {
    return this.#held.signal.aborted || error instanceof ClientGone || (error instanceof ProblemError && error.code === "REQUEST_TIMEOUT");
  }

  /** Who may have been writing to the draft of before may be doing so again. */
  async #takeBack(isContested: boolean): Promise<void> {
    const { start, before, reserved } = this.#appended;
    const data = { draft: start, length: before.length, isContested: isContested || before.isContested };
    await this.#held.release({ data, bytes: reserved }).catch(() => {});
  }

  async #keep(): Promise<void> {
    try {
      const draft = await this.#appended.writer.flush();
      await this.#held.release(this.#progress(draft), this.#appended.limits);
      this.#rememberHash(draft);
    } catch (error) {
      if (error instanceof Unavailable) this.#settings.logger.warn({ err: error }, "What had arrived of an upload could not be kept.");
    }
  }

  /** Once the bytes are recorded, and not before: others may come in their place. */
  #rememberHash(draft: Draft): void {
    if (this.#hash !== undefined && draft.size === this.#size) this.#settings.hashes.put(this.#held.upload.record.id, draft.size, this.#hash);
  }

  /** Not the last bytes: with them the upload becomes another. */
  #isToBeRecorded(): boolean {
    if (this.#size === this.#appended.length) return false;
    const { size, atMs } = this.#recorded;
    const { clock, expiresMs } = this.#settings;
    return this.#size - size >= recordBytes || clock.now() - atMs >= Math.min(recordMs, expiresMs / 4);
  }

  async #record(): Promise<void> {
    await this.#held.change(await this.#recordable(), this.#appended.limits);
    this.#recorded = { size: this.#size, atMs: this.#settings.clock.now() };
  }

  /** Of bytes that are still to be proved it is only said that they come. */
  async #recordable(): Promise<HeldChanges> {
    const { checksum, writer } = this.#appended;
    return checksum === undefined ? this.#progress(await writer.flush()) : { dueMs: this.#dueMs() };
  }

  #progress(draft: Draft): HeldChanges {
    const { length } = this.#appended;
    return { data: { draft, length, isContested: undefined }, dueMs: this.#dueMs(), bytes: length ?? draft.size };
  }

  #dueMs(): number {
    return this.#settings.clock.now() + this.#settings.expiresMs;
  }
}

/** @throws {ProblemError} FILE_TOO_LARGE for a body that says that it is too long, MALFORMED_HEADER */
export function requireRoom(
  { maximumBytes }: UploadSettings,
  { headers }: Pick<Context, "headers">,
  { offset, length }: { readonly offset: number; readonly length: number | undefined },
): void {
  if (offset + (announcedLength(headers) ?? 0) > (length ?? maximumBytes)) throw tooLarge(length, maximumBytes);
}

/** What is said of bytes behind the end, be it one that was announced or the most there may be. */
export function tooLarge(length: number | undefined, maximum: number): ProblemError {
  if (length === undefined) return fileTooLarge(maximum);
  return new ProblemError("FILE_TOO_LARGE", `The upload was announced with ${length} bytes, and more have come.`, { extensions: { limit: length } });
}

function mismatch({ algorithm, status }: UploadChecksum): ProblemError {
  const detail = `The body has another ${algorithm} than "upload-checksum" says; nothing of it was kept.`;
  return new ProblemError("CHECKSUM_MISMATCH", detail, { status });
}
