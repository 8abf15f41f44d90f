import { randomBytes } from "node:crypto";
import type { Timer } from "../../http/timers.js";
import { ProblemError } from "../../problem/index.js";
import type { AccountLimits } from "../../storage/uploads.js";
import { outcomeProblem } from "../records/create.js";
import { loadUpload, noSuchUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, type UploadData, uploadOf } from "../records/upload.js";
import { settle } from "./settle.js";

/** How often a holder shows that it lives. */
const beatMs = 1_000;

/** What a holder changes. */
export interface HeldChanges {
  readonly data?: Partial<UploadData>;
  readonly bytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly dueMs?: number | undefined;
}

/**
 * An upload that is one request's to write to. A later request for it takes it away: then `signal` is aborted, and what has arrived should be recorded, and the
 * upload released, within five seconds. Who is later than that finds that nothing can be changed any more.
 */
export class HeldUpload {
  readonly #settings: UploadSettings;
  readonly #token: string;
  readonly #controller: AbortController;
  readonly #leave: () => void;
  #upload: Upload;
  #changing: Promise<unknown> = Promise.resolve();
  #beat: Timer | undefined;
  #isOver = false;

  private constructor(settings: UploadSettings, upload: Upload, token: string, controller: AbortController, leave: () => void) {
    this.#settings = settings;
    this.#upload = upload;
    this.#token = token;
    this.#controller = controller;
    this.#leave = leave;
    this.#armBeat();
  }

  /**
   * @param known the upload as it was read a moment ago: where it stands like that still, it need not be read again
   * @throws {ProblemError} UPLOAD_LOCKED, NOT_FOUND
   */
  static async take(settings: UploadSettings, known: Upload): Promise<HeldUpload> {
    const token = randomBytes(12).toString("base64url");
    const { id } = known.record;
    for (let free = known; ; free = await settle(settings, id)) {
      // Another request of this process may have come in meanwhile.
      if (free.data.holder !== undefined || settings.active.get(id) !== undefined) continue;
      const controller = new AbortController();
      const leave = settings.active.enter(id, () => controller.abort());
      const taken = await takeRecord(settings, free, token).catch((error: unknown) => {
        leave();
        throw error;
      });
      if (taken !== undefined) return new HeldUpload(settings, taken, token, controller, leave);
      leave();
    }
  }

  get upload(): Upload {
    return this.#upload;
  }

  /** Aborted when somebody else wants it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Changes the record, one change after the other.
   *
   * @throws {ProblemError} UPLOAD_INTERRUPTED where it is somebody else's now, QUOTA_EXCEEDED, NOT_FOUND
   */
  change(changes: HeldChanges, limits?: AccountLimits): Promise<void> {
    const changing = this.#changing.then(() => this.#change(changes, limits));
    this.#changing = changing.catch(() => {});
    return changing;
  }

  /** The same as the last change: others may go on with it. */
  async release(changes: HeldChanges = {}, limits?: AccountLimits): Promise<void> {
    this.#stopBeat();
    await this.change({ ...changes, data: { ...changes.data, holder: undefined, isWanted: undefined } }, limits);
    this.#end();
  }

  /** Ends it in any case; where it was not released others have to wait until it is seen to be silent. Never rejects. */
  async leave(changes?: HeldChanges): Promise<void> {
    if (this.#isOver) return;
    this.#stopBeat();
    await this.release(changes).catch(() => {});
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
  }

  async #change({ data, dueMs, bytes }: HeldChanges, limits: AccountLimits | undefined): Promise<void> {
    const { store } = this.#settings;
    for (;;) {
      const { record, data: before } = this.#upload;
      const due = dueMs === undefined ? {} : { dueAt: new Date(dueMs) };
      // Sums of accounts cost a transaction: they are left alone where they stay as they are.
      const size = bytes === undefined || bytes === record.bytes ? {} : { bytes };
      const outcome = await store.update(record.id, record.version, { ...size, ...due, data: { ...before, ...data } }, limits);
      if (outcome.outcome === "stored") {
        this.#upload = uploadOf(outcome.record);
        return;
      }
      if (outcome.outcome !== "conflict") throw outcomeProblem(outcome, limits ?? {}, bytes ?? 0);
      await this.#reload(record.id);
    }
  }

  /** Somebody else has changed the record: to say that it is wanted, or to take it away. */
  async #reload(id: string): Promise<void> {
    const upload = await loadUpload(this.#settings, id);
    if (upload === undefined) throw noSuchUpload(id);
    if (upload.data.holder !== this.#token) {
      this.#controller.abort();
      throw new ProblemError("UPLOAD_INTERRUPTED", "Another request has taken this upload over.", { headers: { connection: "close" } });
    }
    this.#upload = upload;
    if (upload.data.isWanted) this.#controller.abort();
  }

  #armBeat(): void {
    this.#beat = this.#settings.timers.setTimeout(() => {
      // What fails here fails again where somebody hears of it.
      void this.change({}).catch(() => {});
      if (this.#beat !== undefined) this.#armBeat();
    }, beatMs);
  }

  #stopBeat(): void {
    this.#beat?.cancel();
    this.#beat = undefined;
  }
}

/** `undefined` where somebody else was faster. With a writer an upload has its whole time before it again: it must not be given up under its hands. */
async function takeRecord({ store, clock, expiresMs }: UploadSettings, { record, data }: Upload, token: string): Promise<Upload | undefined> {
  const now = clock.now();
  const isUnfinished = data.status === "uploading" && record.dueAt !== undefined && record.dueAt.getTime() > now;
  const due = isUnfinished ? { dueAt: new Date(now + expiresMs) } : {};
  const outcome = await store.update(record.id, record.version, { data: { ...data, holder: token }, ...due });
  return outcome.outcome === "stored" ? uploadOf(outcome.record) : undefined;
}
