import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { BlobStat, BlobWriter, ChunkRelease } from "../../../src/ground/storage/files/blobs.js";
import { ownerOnly } from "../ownerOnly.js";
import { type BlobPaths, partOf } from "./blobPaths.js";
import { ifThere, onDisk } from "./errors.js";
import { isDurable, makeFolder, syncFolder } from "./folder.js";
import { hashWorker } from "./hashWorker.js";
import { FileSink } from "./sink.js";
import { formatTrailer } from "./trailer.js";

/** The thread is told after so many bytes that the file has grown. */
const followedBytes = 8_388_608;

/** Begins a blob in a new file, which is not a blob yet. */
export async function openWriter(place: BlobPaths, contentType: string | undefined): Promise<BlobWriter> {
  const part = partOf(place);
  return new DiskWriter(place, contentType, part, await onDisk(createPart(part, place.folder)));
}

/** Creates a file, and its folder if it is missing. */
export async function createPart(part: string, folder: string): Promise<FileHandle> {
  const handle = isDurable(folder) ? await ifThere(open(part, "wx", ownerOnly.file)) : undefined;
  if (handle !== undefined) return handle;
  await makeFolder(dirname(folder));
  await makeFolder(folder);
  return open(part, "wx", ownerOnly.file);
}

class DiskWriter implements BlobWriter {
  readonly #place: BlobPaths;
  readonly #contentType: string | undefined;
  readonly #part: string;
  readonly #handle: FileHandle;
  readonly #sink: FileSink;
  readonly #etag = randomBytes(16).toString("base64url");
  #size = 0;
  #isOpen = true;
  /** How much of the file the thread may read; `undefined` if it is not followed. */
  #followed: number | undefined;
  #hash: Promise<string | undefined> | undefined;

  constructor(place: BlobPaths, contentType: string | undefined, part: string, handle: FileHandle) {
    this.#place = place;
    this.#contentType = contentType;
    this.#part = part;
    this.#handle = handle;
    this.#sink = new FileSink(handle);
  }

  async write(chunk: Uint8Array, release?: ChunkRelease): Promise<void> {
    this.#requireOpen();
    this.#size += chunk.length;
    if (!this.#sink.takes(chunk, release)) await this.#orDrop(this.#sink.write(chunk, release));
    if (this.#followed !== undefined && this.#sink.written - this.#followed >= followedBytes) {
      this.#followed = this.#sink.written;
      void hashWorker.follow(this.#part, this.#followed);
    }
  }

  follow(): void {
    this.#followed = 0;
  }

  async sha256(): Promise<string | undefined> {
    this.#hash ??= this.#readHash();
    return this.#hash;
  }

  async commit(): Promise<BlobStat> {
    this.#requireOpen();
    this.#isOpen = false;
    const lastModified = await this.#orDrop(this.#finish());
    await onDisk(syncFolder(this.#place.folder));
    return { size: this.#size, contentType: this.#contentType, etag: this.#etag, lastModified };
  }

  async abort(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await onDisk(this.#drop());
  }

  async #readHash(): Promise<string | undefined> {
    const size = this.#size;
    try {
      await this.#sink.handOver();
      return await hashWorker.digest(this.#part, size);
    } catch {
      // The commit reports the error.
      return undefined;
    }
  }

  async #finish(): Promise<Date> {
    // Only one of the two may begin the next write.
    if (this.#hash !== undefined) await this.#sink.handOver();
    await this.#sink.write(formatTrailer({ size: this.#size, contentType: this.#contentType, etag: this.#etag }));
    await this.#sink.flush();
    await this.#handle.datasync();
    const { mtimeMs } = await this.#handle.stat();
    await this.#handle.close();
    // The thread opens the file by its name.
    await this.#hash;
    if ((await ifThere(rename(this.#part, this.#place.file).then(() => true))) === undefined) throw this.#ended();
    return new Date(Math.floor(mtimeMs));
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw this.#ended();
  }

  #ended(): Unavailable {
    return new Unavailable(`The blob "${this.#place.key}" was deleted or ended while it was written. Write it again.`);
  }

  /** The first error is reported: a failed removal is a consequence of it. */
  async #orDrop<R>(work: Promise<R>): Promise<R> {
    try {
      return await onDisk(work);
    } catch (error) {
      this.#isOpen = false;
      await this.#drop().catch(() => {});
      throw error;
    }
  }

  async #drop(): Promise<void> {
    await this.#sink.stop();
    await this.#handle.close().catch(() => {});
    await rm(this.#part, { force: true });
  }
}
