import { backgroundTimer, type Timer } from "../../../ground/http/timers.js";
import { changedMeanwhile } from "../records/create.js";
import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, uploadOf } from "../records/upload.js";

/** How long a request may take until its response, in addition to its checks. */
const answerMs = 600_000;
/** How often a process updates the records of uploads that it is finishing. */
export const beatMs = 1_000;

/**
 * How long a request with file checks may take until its response, in milliseconds. Until then other processes treat it as alive.
 *
 * @param files maximum number of files, which are checked one after the other
 */
export function answeringMs({ checks, checkMs }: Pick<UploadSettings, "checks" | "checkMs">, files = 1): number {
  return Math.min(answerMs + files * checks.length * checkMs, maxAnsweringMs);
}

/** Upper bound for any combination of options. */
const maxAnsweringMs = 7 * 24 * 3_600_000;

/** When other processes start to watch an upload for a dead process, unless its record is updated again. */
export function finishingUntil({ clock }: Pick<UploadSettings, "clock">): Date {
  return new Date(clock.now() + beatMs);
}

/**
 * Records that an upload has all of its bytes.
 *
 * @throws {ProblemError} WRITE_CONFLICT
 */
export async function beginFinishing(settings: UploadSettings, { record, data }: Upload): Promise<Upload> {
  const changes = { data: { ...data, status: "processing" as const }, dueAt: new Date(settings.clock.now() + answeringMs(settings)) };
  const outcome = await settings.store.update(record.id, record.version, changes);
  if (outcome.outcome !== "stored") throw changedMeanwhile();
  return uploadOf(outcome.record);
}

/** Updates the records of uploads once a second while this process is finishing them, so that other processes treat it as alive. */
export class Heartbeat {
  readonly #settings: UploadSettings;
  readonly #ids: readonly string[];
  #timer: Timer | undefined;
  #isOver = false;

  /** @param uploads one upload, or all uploads of a form, `processing`; the caller must call {@link end} */
  constructor(settings: UploadSettings, uploads: readonly Upload[]) {
    this.#settings = settings;
    this.#ids = uploads.map(({ record }) => record.id);
    for (const id of this.#ids) settings.watch.begin(id);
    this.#arm();
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    for (const id of this.#ids) this.#settings.watch.end(id);
  }

  #arm(): void {
    if (this.#isOver) return;
    const again = () => this.#arm();
    const beats = () => Promise.allSettled(this.#ids.map((id) => this.#beat(id)));
    // If a beat fails, the next one still follows.
    this.#timer = backgroundTimer(this.#settings.timers, () => void beats().then(again), beatMs);
  }

  /** If the version has changed, the update fails and is not retried: the record was just updated. Uploads that wait for a retry are skipped. */
  async #beat(id: string): Promise<void> {
    const upload = await loadUpload(this.#settings, id);
    if (this.#isOver || upload?.data.status !== "processing" || upload.data.isWaiting === true) return;
    await this.#settings.store.update(id, upload.record.version, { dueAt: finishingUntil(this.#settings) });
  }
}
