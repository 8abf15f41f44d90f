import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { Draft, DraftEnd, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { BufferPool } from "../bufferPool.js";
import type { S3Api } from "../call/api.js";
import { isMissing } from "../objects.js";
import { requireUpload } from "../pages.js";
import { PartBuffer } from "../partBuffer.js";
import { PartQueue } from "../partQueue.js";
import type { Semaphore } from "../semaphore.js";
import { type DraftState, draftOf } from "./draftState.js";
import type { PartNumbers } from "./partNumbers.js";
import { putTail, removeTails, type Tail } from "./tails.js";

export interface DraftWriting {
  readonly api: S3Api;
  readonly slots: Semaphore;
  readonly key: string;
  /** The state to continue from. */
  readonly state: DraftState;
  readonly numbers: PartNumbers;
  /** The bytes of the tail, if there is one. */
  readonly tail: AsyncIterable<Uint8Array> | readonly Uint8Array[];
}

/** Continues after the last part of a draft, with its tail in memory. */
export async function openDraftWriter(writing: DraftWriting): Promise<DraftWriter> {
  const writer = new S3DraftWriter(writing);
  for await (const chunk of writing.tail) writer.take(chunk);
  return writer;
}

class S3DraftWriter implements DraftWriter {
  readonly #api: S3Api;
  readonly #key: string;
  readonly #base: DraftState;
  readonly #numbers: PartNumbers;
  readonly #queue: PartQueue;
  readonly #memory = new BufferPool();
  readonly #controller = new AbortController();
  #part: PartBuffer;
  #oldTails: readonly string[] = [];
  #tail: Tail | undefined;
  /** Whether the stored tail contains all bytes that are in memory. */
  #isTailNew = true;
  #isOpen = true;

  constructor({ api, slots, key, state, numbers }: DraftWriting) {
    const { partBytes, uploadId, tail } = state;
    this.#api = api;
    this.#key = key;
    this.#base = state;
    this.#numbers = numbers;
    const takeNumber = () => numbers.take();
    this.#queue = new PartQueue(api, { key, uploadId }, { partBytes, slots, takeNumber, signal: this.#controller.signal });
    this.#part = new PartBuffer(partBytes, this.#memory);
    this.#tail = tail;
  }

  /** @returns the number of bytes that fit */
  take(chunk: Uint8Array): number {
    return this.#part.take(chunk);
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#requireOpen();
    await this.#orGone(this.#write(chunk));
  }

  async flush(): Promise<Draft> {
    this.#requireOpen();
    return this.#orGone(this.#flush());
  }

  async close(): Promise<DraftEnd> {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#controller.abort(this.#ended());
    }
    await this.#queue.settled();
    return { isContested: this.#queue.mayComeLate };
  }

  /** A part is sent when there are more bytes than it can hold. */
  async #write(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      this.#isTailNew = false;
      const taken = this.#part.take(rest);
      rest = rest.subarray(taken);
      if (rest.length > 0) await this.#send();
    }
  }

  async #send(): Promise<void> {
    // After an error the part stays as it is, so that sending it can be retried.
    await this.#numbers.reserve();
    const part = this.#part.finish();
    this.#part = new PartBuffer(this.#base.partBytes, this.#memory);
    await this.#queue.add(part);
    this.#requireOpen();
  }

  async #flush(): Promise<Draft> {
    if (this.#part.length === this.#base.partBytes) await this.#send();
    const parts = [...this.#base.parts, ...(await this.#queue.finish())];
    if (!this.#isTailNew) await this.#replaceTail();
    await this.#requireUpload();
    const state = { ...this.#base, parts, window: this.#numbers.window, tail: this.#tail, oldTails: this.#oldTails };
    return draftOf(state);
  }

  /** The previous tail stays: the draft that refers to it is valid until this draft is resumed. */
  async #replaceTail(): Promise<void> {
    const isEmpty = this.#part.length === 0;
    // At the end the tail becomes a part.
    if (!isEmpty) await this.#numbers.reserve();
    const tail = isEmpty ? undefined : await putTail(this.#api, this.#key, this.#part.peek());
    if (this.#tail !== undefined) this.#oldTails = [...this.#oldTails, this.#tail.id];
    this.#tail = tail;
    this.#isTailNew = true;
  }

  /** A delete of the draft lists tails after the upload has ended, and may have done so before this tail existed. */
  async #requireUpload(): Promise<void> {
    try {
      await requireUpload(this.#api, this.#queue.upload);
    } catch (error) {
      if (isMissing(error) && this.#tail !== undefined) await removeTails(this.#api, this.#key, [this.#tail.id]);
      throw error;
    }
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw this.#ended();
  }

  #ended(cause?: unknown): Unavailable {
    return new Unavailable(`The draft of "${this.#key}" was deleted or ended while it was written.`, { cause });
  }

  async #orGone<R>(work: Promise<R>): Promise<R> {
    try {
      return await work;
    } catch (error) {
      throw isMissing(error) ? this.#ended(error) : error;
    }
  }
}
