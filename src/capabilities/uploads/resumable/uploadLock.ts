import { randomBytes } from "node:crypto";
import { backgroundTimer, type Timer } from "../../../ground/http/timers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { AccountLimits } from "../../../ground/storage/files/uploads.js";
import { outcomeProblem, storeWithin } from "../records/create.js";
import { loadUpload, noSuchUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, type UploadData, uploadOf } from "../records/upload.js";
import { maxSilenceMs, preemptWriter } from "./preemptWriter.js";

/** How often the holder of a lock updates the record. */
const beatMs = 1_000;
/** How long the lock is certain after an update: others wait longer before they treat the holder as dead. */
const certainMs = maxSilenceMs - 1_000;

/** Changes by the holder of a lock. */
export interface LockedChanges {
  readonly data?: Partial<UploadData>;
  readonly bytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly dueMs?: number | undefined;
}

/**
 * The lock of one request on an upload that it writes to. When a later request wants the upload, `signal` is aborted; the holder must then record the received bytes
 * and release the lock within five seconds. After that the lock is lost and every change fails with UPLOAD_INTERRUPTED.
 */
export class UploadLock {
  readonly #settings: UploadSettings;
  readonly #token: string;
  readonly #controller: AbortController;
  readonly #leaveActive: () => void;
  #upload: Upload;
  #changing: Promise<unknown> = Promise.resolve();
  #beat: Timer | undefined;
  #isOver = false;
  /** When the last update of the record began. */
  #updated: Moment;

  private constructor(
    settings: UploadSettings,
    { upload, updated }: { readonly upload: Upload; readonly updated: Moment },
    token: string,
    controller: AbortController,
    leaveActive: () => void,
  ) {
    this.#settings = settings;
    this.#upload = upload;
    this.#updated = updated;
    this.#token = token;
    this.#controller = controller;
    this.#leaveActive = leaveActive;
    this.#armBeat();
  }

  /**
   * @param known the upload as last read; it is read again only if it has changed since
   * @throws {ProblemError} UPLOAD_LOCKED, NOT_FOUND
   */
  static async acquire(settings: UploadSettings, known: Upload): Promise<UploadLock> {
    const token = randomBytes(12).toString("base64url");
    const { id } = known.record;
    for (let free = known; ; free = await preemptWriter(settings, id)) {
      // Another request of this process may have acquired the lock meanwhile.
      if (free.data.holder !== undefined || settings.active.get(id) !== undefined) continue;
      const controller = new AbortController();
      const leaveActive = settings.active.enter(id, () => controller.abort());
      const updated = momentNow(settings);
      const taken = await takeRecord(settings, free, token).catch((error: unknown) => {
        leaveActive();
        throw error;
      });
      if (taken !== undefined) return new UploadLock(settings, { upload: taken, updated }, token, controller, leaveActive);
      leaveActive();
    }
  }

  get upload(): Upload {
    return this.#upload;
  }

  /** Aborted when another request wants the upload. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Whether no other process can have taken the lock yet. What this process has written before it asks is found by the next holder.
   *
   * Both clocks are asked: the time of the machine may be set back, and the monotonic clock stands still while the machine sleeps.
   */
  get isCertain(): boolean {
    const { wallMs, monotonicMs } = momentNow(this.#settings);
    return !this.#isOver && monotonicMs - this.#updated.monotonicMs < certainMs && wallMs - this.#updated.wallMs < certainMs;
  }

  /**
   * Changes the record, one change after the other.
   *
   * @throws {ProblemError} UPLOAD_INTERRUPTED if the lock is lost, QUOTA_EXCEEDED, NOT_FOUND
   */
  change(changes: LockedChanges, limits?: AccountLimits): Promise<void> {
    const changing = this.#changing.then(() => this.#change(changes, limits));
    this.#changing = changing.catch(() => {});
    return changing;
  }

  /** The last change, after which other requests may write. If it throws, the lock is not released yet. */
  async changeAndRelease(changes: LockedChanges = {}, limits?: AccountLimits): Promise<void> {
    this.#stopBeat();
    await this.change({ ...changes, data: { ...changes.data, holder: undefined, isWanted: undefined } }, limits);
    this.#end();
  }

  /** Releases the lock if it is still held. If the record cannot be changed, other requests wait until the lock has been silent for three seconds. Never rejects. */
  async release(changes?: LockedChanges): Promise<void> {
    if (this.#isOver) return;
    // Bytes that are not recorded yet would be lost.
    if (this.#upload.data.isAhead === true) return this.abandon();
    this.#stopBeat();
    await this.changeAndRelease(changes).catch(() => {});
    this.#end();
  }

  /** Tells this process how many bytes are acknowledged that the record may not have. */
  acknowledge(bytes: number): void {
    const active = this.#settings.active.get(this.#upload.record.id);
    if (active !== undefined) active.acknowledgedBytes = bytes;
  }

  /** Leaves the lock to time out, so that the next holder recovers the bytes that are not recorded. */
  abandon(): void {
    this.#stopBeat();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leaveActive();
  }

  async #change({ data, dueMs, bytes }: LockedChanges, limits: AccountLimits | undefined): Promise<void> {
    const { store } = this.#settings;
    for (;;) {
      const { record, data: before } = this.#upload;
      const due = dueMs === undefined ? {} : { dueAt: new Date(dueMs) };
      // A change of `bytes` needs a transaction to update the sums of the account, so it is omitted if the value is unchanged.
      const size = bytes === undefined || bytes === record.bytes ? {} : { bytes };
      const changes = { ...size, ...due, data: { ...before, ...data } };
      const updated = momentNow(this.#settings);
      const outcome = await storeWithin(this.#settings, record, () => store.update(record.id, record.version, changes, limits));
      if (outcome.outcome === "stored") {
        this.#upload = uploadOf(outcome.record);
        this.#updated = updated;
        return;
      }
      if (outcome.outcome !== "conflict") throw outcomeProblem(outcome, limits ?? {}, bytes ?? 0);
      await this.#reload(record.id);
    }
  }

  /** Another request has changed the record: it wants the upload, or has taken the lock. */
  async #reload(id: string): Promise<void> {
    const upload = await loadUpload(this.#settings, id);
    if (upload === undefined) throw noSuchUpload(id);
    if (upload.data.holder !== this.#token) {
      this.#controller.abort();
      throw new ProblemError("UPLOAD_INTERRUPTED", "Another request has taken over this upload.", { headers: { connection: "close" } });
    }
    this.#upload = upload;
    if (upload.data.isWanted) this.#controller.abort();
  }

  #armBeat(): void {
    const beat = () => {
      // An error is reported by the next change that the request makes.
      void this.change({}).catch(() => {});
      if (this.#beat !== undefined) this.#armBeat();
    };
    this.#beat = backgroundTimer(this.#settings.timers, beat, beatMs);
  }

  #stopBeat(): void {
    this.#beat?.cancel();
    this.#beat = undefined;
  }
}

/** A moment on both clocks, in milliseconds. */
interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

function momentNow({ clock, monotonic }: UploadSettings): Moment {
  return { wallMs: clock.now(), monotonicMs: monotonic() };
}

/** Sets the holder, and renews the expiry of an unfinished upload, so that it does not expire while it is written. @returns `undefined` if the record has changed */
async function takeRecord({ store, clock, expiresMs }: UploadSettings, { record, data }: Upload, token: string): Promise<Upload | undefined> {
  const now = clock.now();
  const isUnfinished = data.status === "uploading" && record.dueAt !== undefined && record.dueAt.getTime() > now;
  const due = isUnfinished ? { dueAt: new Date(now + expiresMs) } : {};
  const outcome = await store.update(record.id, record.version, { data: { ...data, holder: token }, ...due });
  return outcome.outcome === "stored" ? uploadOf(outcome.record) : undefined;
}
