import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { BlobStat, BlobWriter } from "../../../src/ground/storage/files/blobs.js";
import { BufferPool } from "./bufferPool.js";
import type { S3Api } from "./call/api.js";
import { abortUpload, completeUpload, createUpload } from "./multipart.js";
import { checkType, isMissing, putObject, statWritten } from "./objects.js";
import { PartBuffer } from "./partBuffer.js";
import { partBytesFor } from "./partBytes.js";
import { PartQueue } from "./partQueue.js";
import type { PendingBlob, PendingBlobs } from "./pendingBlobs.js";
import type { Semaphore } from "./semaphore.js";

/** The part that all writers of a store share. */
export interface Writing {
  readonly api: S3Api;
  readonly pending: PendingBlobs;
  readonly slots: Semaphore;
}

/** The known properties of a new blob. */
export interface NewBlob {
  readonly key: string;
  readonly contentType: string | undefined;
  readonly size: number | undefined;
}

/** Begins a blob. A blob whose announced size fits into a part is sent in one request at its end; any other is a multipart upload from its beginning. */
export async function openWriter(writing: Writing, blob: NewBlob): Promise<BlobWriter> {
  checkType(blob.contentType);
  const partBytes = partBytesFor(blob.size);
  const writer = new S3Writer(writing, blob, partBytes);
  if (blob.size === undefined || blob.size > partBytes) await writer.begin();
  return writer;
}

class S3Writer implements BlobWriter {
  readonly #writing: Writing;
  readonly #contentType: string | undefined;
  readonly #partBytes: number;
  readonly #blob: PendingBlob;
  readonly #memory = new BufferPool();
  readonly #controller = new AbortController();
  #part: PartBuffer;
  #queue: Promise<PartQueue> | undefined;
  #isOpen = true;

  constructor(writing: Writing, { key, contentType }: NewBlob, partBytes: number) {
    this.#writing = writing;
    this.#contentType = contentType;
    this.#partBytes = partBytes;
    this.#part = new PartBuffer(partBytes, this.#memory);
    this.#blob = { key, size: 0, lastModified: new Date(writing.api.options.now()), isDeleted: false, sending: undefined };
    writing.pending.add(this.#blob);
  }

  /** Begins a multipart upload, so that S3 and other processes know of the blob. */
  begin(): Promise<PartQueue> {
    this.#queue ??= this.#createQueue();
    return this.#queue;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#requireOpen();
    await this.#orDrop(this.#take(chunk));
  }

  async commit(): Promise<BlobStat> {
    this.#requireOpen();
    this.#isOpen = false;
    return this.#orDrop(this.#finish());
  }

  async abort(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#drop();
  }

  async #createQueue(): Promise<PartQueue> {
    const { api, pending, slots } = this.#writing;
    try {
      const upload = await createUpload(api, this.#blob.key, this.#contentType);
      return new PartQueue(api, upload, { partBytes: this.#partBytes, slots, signal: this.#controller.signal });
    } finally {
      pending.leave(this.#blob);
    }
  }

  /** A part is sent when there are more bytes than it can hold, so the last part is never empty, unless the blob is. */
  async #take(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; ; ) {
      const taken = this.#part.take(rest);
      this.#blob.size += taken;
      if (taken === rest.length) break;
      rest = rest.subarray(taken);
      await (await this.begin()).add(this.#part.finish());
      this.#part = new PartBuffer(this.#partBytes, this.#memory);
      this.#requireOpen();
    }
    this.#blob.lastModified = new Date(this.#writing.api.options.now());
  }

  async #finish(): Promise<BlobStat> {
    const { api, pending } = this.#writing;
    const { key, size } = this.#blob;
    if (this.#queue === undefined) {
      const sending = putObject(api, key, this.#contentType, this.#part.finish());
      this.#blob.sending = sending;
      const written = await sending;
      pending.leave(this.#blob);
      return statWritten(api, key, written);
    }
    const queue = await this.#queue;
    if (this.#part.length > 0 || queue.isEmpty) await queue.add(this.#part.finish());
    const parts = await queue.finish();
    const completed = await completeUpload(api, queue.upload, { parts, size });
    return statWritten(api, key, { size, contentType: this.#contentType, ...completed });
  }

  #requireOpen(): void {
    if (!this.#isOpen || this.#blob.isDeleted) throw this.#ended();
  }

  #ended(cause?: unknown): Unavailable {
    return new Unavailable(`The blob "${this.#blob.key}" was deleted or ended while it was written. Write it again.`, { cause });
  }

  /** The first error is reported: a failed removal is a consequence of it. */
  async #orDrop<R>(work: Promise<R>): Promise<R> {
    try {
      return await work;
    } catch (error) {
      this.#isOpen = false;
      await this.#drop().catch(() => {});
      throw isMissing(error) ? this.#ended(error) : error;
    }
  }

  async #drop(): Promise<void> {
    const { api, pending } = this.#writing;
    pending.leave(this.#blob);
    this.#controller.abort(this.#ended());
    const queue = await this.#queue?.catch(() => undefined);
    if (queue === undefined) return;
    await queue.settled();
    await abortUpload(api, queue.upload);
  }
}
