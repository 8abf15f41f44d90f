import { access, constants, copyFile, type FileHandle, open, rm } from "node:fs/promises";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { ChunkRelease, Draft, DraftEnd, DraftWriter } from "../../../src/ground/storage/files/blobs.js";
import { type BlobPaths, newPartId, partOf } from "./blobPaths.js";
import { bootId } from "./bootId.js";
import { type DiskDraft, formatDraft } from "./draftState.js";
import { ifThere, onDisk } from "./errors.js";
import { syncFolder } from "./folder.js";
import { FileSink } from "./sink.js";

/** Continues a draft, in its file or, if another process may still write to that, in a copy. `undefined` if it is gone. */
export async function resumeDraft(place: BlobPaths, draft: DiskDraft, isContested: boolean): Promise<DraftWriter | undefined> {
  const writer = isContested ? await openCopy(place, draft) : await openOwn(place, draft);
  if (writer === undefined || draft.superseded === undefined) return writer;
  try {
    await rm(partOf(place, draft.superseded), { force: true });
    return writer;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openOwn(place: BlobPaths, draft: DiskDraft): Promise<DiskDraftWriter | undefined> {
  const handle = await openCut(partOf(place, draft.part), draft.size);
  return handle && new DiskDraftWriter(place, handle, { ...draft, superseded: undefined }, true);
}

/** A process that still has the old file open then writes to a file that is not used any more. */
async function openCopy(place: BlobPaths, draft: DiskDraft): Promise<DiskDraftWriter | undefined> {
  const copy = { ...draft, part: newPartId(), superseded: draft.part };
  const file = partOf(place, copy.part);
  let handle: FileHandle | undefined;
  try {
    handle = await copyCut(partOf(place, draft.part), file, draft.size);
    if (handle !== undefined) await orClose(handle, syncFolder(place.folder));
  } catch (error) {
    await rm(file, { force: true }).catch(() => {});
    throw error;
  }
  if (handle !== undefined) return new DiskDraftWriter(place, handle, copy, false);
  await rm(file, { force: true });
  return undefined;
}

/**
 * A durable copy of the first bytes; it shares their blocks if the file system supports that. `undefined` if the source is gone, even if it was removed
 * during the copy: a delete of the key may have listed the copies before this one existed.
 */
async function copyCut(source: string, file: string, size: number): Promise<FileHandle | undefined> {
  const copied = await ifThere(copyFile(source, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).then(() => true));
  const handle = copied ? await openCut(file, size) : undefined;
  if (handle === undefined) return undefined;
  await orClose(handle, handle.datasync());
  if (await orClose(handle, ifThere(access(source).then(() => true)))) return handle;
  await handle.close();
  return undefined;
}

/** Truncates a file to a length; `undefined` if it is shorter or missing. */
async function openCut(file: string, size: number): Promise<FileHandle | undefined> {
  const handle = await ifThere(open(file, "r+"));
  if (handle === undefined) return undefined;
  const { size: fileBytes } = await orClose(handle, handle.stat());
  if (fileBytes > size) await orClose(handle, handle.truncate(size));
  if (fileBytes >= size) return handle;
  await handle.close();
  return undefined;
}

async function orClose<R>(handle: FileHandle, work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class DiskDraftWriter implements DraftWriter {
  readonly #place: BlobPaths;
  readonly #handle: FileHandle;
  readonly #sink: FileSink;
  readonly #draft: DiskDraft;
  /** Absent on a system that does not identify its starts: a later writer could not tell whether it was restarted. */
  readonly handOver: (() => Promise<void>) | undefined;
  #size: number;
  /** Size at the last flush. `undefined` once bytes were handed over: from then on all bytes of the file may be acknowledged. */
  #flushed: number | undefined;
  #isOpen = true;
  /** Whether a stored draft may refer to the file: otherwise this writer must remove it. */
  #isNamed: boolean;

  constructor(place: BlobPaths, handle: FileHandle, draft: DiskDraft, isNamed: boolean) {
    this.#place = place;
    this.#handle = handle;
    this.#sink = new FileSink(handle, draft.size);
    this.#draft = draft;
    this.#size = draft.size;
    this.#flushed = draft.size;
    this.#isNamed = isNamed;
    this.handOver = bootId() === undefined ? undefined : () => this.#handOver();
  }

  async write(chunk: Uint8Array, release?: ChunkRelease): Promise<void> {
    this.#requireOpen();
    this.#size += chunk.length;
    if (!this.#sink.takes(chunk, release)) await this.#orEnd(this.#sink.write(chunk, release));
  }

  async flush(): Promise<Draft> {
    this.#requireOpen();
    this.#isNamed = true;
    const size = this.#size;
    await this.#orEnd(this.#sync());
    if (this.#flushed !== undefined) this.#flushed = size;
    return formatDraft({ ...this.#draft, boot: bootId(), size });
  }

  async #handOver(): Promise<void> {
    this.#requireOpen();
    this.#flushed = undefined;
    await this.#orEnd(this.#sink.handOver());
  }

  async close(): Promise<DraftEnd> {
    this.#isOpen = false;
    await this.#sink.stop();
    await this.#handle.close().catch(() => {});
    if (!this.#isNamed) await rm(partOf(this.#place, this.#draft.part), { force: true }).catch(() => {});
    return { isContested: false };
  }

  async #sync(): Promise<void> {
    await this.#sink.flush();
    await this.#handle.datasync();
    if ((await this.#handle.stat()).nlink === 0) throw this.#ended();
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw this.#ended();
  }

  #ended(): Unavailable {
    return new Unavailable(`The draft of the blob "${this.#place.key}" was deleted or ended while it was written. Resume it, or write it again.`);
  }

  /**
   * After an error a disk may report bytes as durable that it lost, so nothing more is written. The bytes since the last flush are removed: on a disk
   * that they have filled, a database could not record the end of the upload, and the sweep could not delete it.
   */
  async #orEnd<R>(work: Promise<R>): Promise<R> {
    try {
      return await onDisk(work);
    } catch (error) {
      this.#isOpen = false;
      await this.#sink.stop();
      // Without such bytes the file may be a blob already.
      if (this.#flushed !== undefined && this.#size > this.#flushed) await this.#handle.truncate(this.#flushed).catch(() => {});
      throw error;
    }
  }
}
