import type { BlobStat, BlobWriter } from "../../src/storage/blobs.js";
import { Unavailable } from "../../src/storage/errors.js";
import type { S3Api } from "./api.js";
import { Blocks } from "./blocks.js";
import { abortUpload, completeUpload, createUpload } from "./multipart.js";
import { checkType, isMissing, putObject, statWritten } from "./objects.js";
import { PartBuffer } from "./partBuffer.js";
import { partBytesFor } from "./partBytes.js";
import { PartQueue } from "./partQueue.js";
import type { Slots } from "./slots.js";
import type { Unsent, UnsentBlobs } from "./unsent.js";

/** What the writers of a store have in common. */
export interface Writing {
  readonly api: S3Api;
  readonly unsent: UnsentBlobs;
  readonly slots: Slots;
}

/** What is known of a blob beforehand. */
export interface Announced {
  readonly key: string;
  readonly contentType: string | undefined;
  readonly size: number | undefined;
}

/** Begins a blob. One that is announced to fit into a part waits in memory for its one request; of any other S3 knows from the beginning. */
export async function openWriter(writing: Writing, announced: Announced): Promise<BlobWriter> {
  checkType(announced.contentType);
  const partBytes = partBytesFor(announced.size);
  const writer = new S3Writer(writing, announced, partBytes);
  if (announced.size === undefined || announced.size > partBytes) await writer.begin();
  return writer;
}

class S3Writer implements BlobWriter {
  readonly #writing: Writing;
  readonly #contentType: string | undefined;
  readonly #partBytes: number;
  readonly #blob: Unsent;
  readonly #memory = new Blocks();
  readonly #controller = new AbortController();
  #part: PartBuffer;
  #queue: Promise<PartQueue> | undefined;
  #isOpen = true;

  constructor(writing: Writing, { key, contentType }: Announced, partBytes: number) {
    this.#writing = writing;
    this.#contentType = contentType;
    this.#partBytes = partBytes;
    this.#part = new PartBuffer(partBytes, this.#memory);
    this.#blob = { key, size: 0, lastModified: new Date(writing.api.options.now()), isDeleted: false, sending: undefined };
    writing.unsent.add(this.#blob);
  }

  /** Begins an upload, so that S3 and other processes know of the blob. */
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
    const { api, unsent, slots } = this.#writing;
    try {
      const upload = await createUpload(api, this.#blob.key, this.#contentType);
      return new PartQueue(api, upload, { partBytes: this.#partBytes, slots, signal: this.#controller.signal });
    } finally {
      unsent.leave(this.#blob);
    }
  }

  /** A part is sent when there is more than it can take: the last one is never empty, unless the blob is. */
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
    const { api, unsent } = this.#writing;
    const { key, size } = this.#blob;
    if (this.#queue === undefined) {
      const sending = putObject(api, key, this.#contentType, this.#part.finish());
      this.#blob.sending = sending;
      const written = await sending;
      unsent.leave(this.#blob);
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
    return new Unavailable(`The blob "${this.#blob.key}" was deleted or ended while it was written. Begin it again.`, { cause });
  }

  /** The error that counts is the first: that nothing could be removed follows from it. */
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
    const { api, unsent } = this.#writing;
    unsent.leave(this.#blob);
    this.#controller.abort(this.#ended());
    const queue = await this.#queue?.catch(() => undefined);
    if (queue === undefined) return;
    await queue.settled();
    await abortUpload(api, queue.upload);
  }
}
