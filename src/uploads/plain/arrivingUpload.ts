import { ProblemError } from "../../problem/index.js";
import type { UploadSettings } from "../records/settings.js";
import { type Upload, uploadOf } from "../records/upload.js";

/** An upload whose bytes are coming as one body, for however long. */
export class ArrivingUpload {
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

  /** The same chunks. As long as they come nobody gives the upload up. @throws {ProblemError} GONE */
  async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      if (this.#settings.clock.now() - this.#renewedMs >= this.#settings.expiresMs / 4) await this.#renew();
      yield chunk;
    }
  }

  async #renew(): Promise<void> {
    const { store, clock, expiresMs } = this.#settings;
    const { id, version } = this.#upload.record;
    const now = clock.now();
    const outcome = await store.update(id, version, { dueAt: new Date(now + expiresMs) });
    if (outcome.outcome !== "stored") throw new ProblemError("GONE", "The upload was deleted while it came.");
    this.#upload = uploadOf(outcome.record);
    this.#renewedMs = now;
  }
}
