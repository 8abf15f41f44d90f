import type { S3Api } from "./api.js";
import { type Upload, type UploadedPart, uploadPartOnce } from "./multipart.js";
import type { Part } from "./partBuffer.js";
import { mostParts, partsAtOnce } from "./partBytes.js";
import { withRetries } from "./retries.js";
import type { Slots } from "./slots.js";

export interface PartQueueOptions {
  readonly partBytes: number;
  /** Of all blobs of the store together. */
  readonly slots: Slots;
  /** Resolves with the number of the next part; from 1 on unless given. */
  readonly takeNumber?: (() => Promise<number>) | undefined;
  /** Ends what is on its way. */
  readonly signal: AbortSignal;
}

/** The parts of an upload, several on their way at once. */
export class PartQueue {
  readonly upload: Upload;
  readonly #api: S3Api;
  readonly #options: PartQueueOptions;
  readonly #parts: UploadedPart[] = [];
  readonly #sending = new Set<Promise<void>>();
  #count = 0;
  #mayComeLate = false;
  #fault: { readonly error: unknown } | undefined;

  constructor(api: S3Api, upload: Upload, options: PartQueueOptions) {
    this.upload = upload;
    this.#api = api;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Whether a try was given up: S3 may have all of it, and take it for the part when another has its number. */
  get mayComeLate(): boolean {
    return this.#mayComeLate;
  }

  /** Resolves when the part is on its way; an error of an earlier part may come with a later one. */
  async add(part: Part): Promise<void> {
    const { partBytes, slots, takeNumber } = this.#options;
    if (this.#count >= mostParts)
      throw new TypeError(`The blob is longer than ${mostParts} parts of ${partBytes} bytes. Give its size when it is opened.`);
    const number = (await takeNumber?.()) ?? this.#count + 1;
    while (this.#sending.size >= partsAtOnce(partBytes)) await Promise.race(this.#sending);
    await slots.take();
    this.#count += 1;
    const sending: Promise<void> = this.#send(number, part).finally(() => {
      slots.giveBack();
      this.#sending.delete(sending);
    });
    this.#sending.add(sending);
    this.#throwFault();
  }

  /** All parts up to now, when S3 has them. */
  async finish(): Promise<readonly UploadedPart[]> {
    await this.settled();
    this.#throwFault();
    return this.#parts.toSorted((one, other) => one.number - other.number);
  }

  /** Resolves when nothing is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Never rejects: nobody may be waiting. */
  async #send(number: number, part: Part): Promise<void> {
    const { signal } = this.#options;
    try {
      signal.throwIfAborted();
      this.#throwFault();
      const name = `UploadPart of "${this.upload.key}"`;
      const etag = await withRetries({ name, signal }, () => this.#sendOnce(number, part));
      this.#parts.push({ number, etag });
      part.release();
    } catch (error) {
      this.#fault ??= { error };
    }
  }

  async #sendOnce(number: number, payload: Part): Promise<string> {
    try {
      return await uploadPartOnce(this.#api, this.upload, { number, payload, signal: this.#options.signal });
    } catch (error) {
      this.#mayComeLate = true;
      throw error;
    }
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }
}
