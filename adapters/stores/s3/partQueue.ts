import type { S3Api } from "./call/api.js";
import { withRetries } from "./call/retries.js";
import { type Upload, type UploadedPart, uploadPartOnce } from "./multipart.js";
import type { Part } from "./partBuffer.js";
import { maxParts, partsAtOnce } from "./partBytes.js";
import type { Semaphore } from "./semaphore.js";

export interface PartQueueOptions {
  readonly partBytes: number;
  /** The slots of the store, which all its blobs share. */
  readonly slots: Semaphore;
  /** Resolves with the number of the next part. Defaults to counting from 1. */
  readonly takeNumber?: (() => Promise<number>) | undefined;
  /** Aborts the parts in flight. */
  readonly signal: AbortSignal;
}

/** Uploads the parts of a blob, several at a time. */
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

  /** Whether an attempt was abandoned: S3 may have received all of it, and store it later under a number that was used again. */
  get mayComeLate(): boolean {
    return this.#mayComeLate;
  }

  /** Resolves when the upload of the part has begun; an error of an earlier part may reject a later call. */
  async add(part: Part): Promise<void> {
    const { partBytes, slots, takeNumber } = this.#options;
    if (this.#count >= maxParts)
      throw new TypeError(`The blob is longer than ${maxParts} parts of ${partBytes} bytes. Give its size when it is opened.`);
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

  /** All parts so far, once S3 has stored them. */
  async finish(): Promise<readonly UploadedPart[]> {
    await this.settled();
    this.#throwFault();
    return this.#parts.toSorted((one, other) => one.number - other.number);
  }

  /** Resolves when no part is in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Never rejects, because it may not be awaited. */
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
