import type { ChunkRelease } from "../../../src/ground/storage/files/blobs.js";

/** The methods of a file that the sink uses: a `FileHandle` of node:fs has them. `write` may write less than it receives. */
export interface PositionedFile {
  writev(chunks: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  /** Makes the written bytes durable. */
  datasync?(): Promise<void>;
}

/** Chunks are collected up to this size: each write costs a hand-over to a thread, whatever its size. */
const flushBytes = 524_288;
/** The most bytes in memory, in addition to those of the current write. */
const pauseBytes = 1_048_576;
/** Bytes after which a sync begins. Otherwise a large file would be synced only at its end. A piece of a usual size is synced once. */
const syncBytes = 16_777_216;
/** Smaller chunks are copied into one buffer: an array of a million one-byte chunks uses a hundred times as much memory. */
const smallBytes = 16_384;

/** Writes chunks to a file in order. One write runs while the next chunks are collected. */
export class FileSink {
  readonly #file: PositionedFile;
  #position: number;
  #gathered: Uint8Array[] = [];
  /** To be called after the gathered chunks are written. */
  #releases: (() => void)[] = [];
  #gatheredBytes = 0;
  /** The buffer for small chunks, and its used length. */
  #copies = Buffer.alloc(0);
  #copiedBytes = 0;
  #flight: Promise<void> | undefined;
  #written: number;
  #unsyncedBytes = 0;
  #syncing: Promise<void> | undefined;
  #fault: { readonly error: unknown } | undefined;

  /** @param position of the first chunk in the file, in bytes */
  constructor(file: PositionedFile, position = 0) {
    this.#file = file;
    this.#position = position;
    this.#written = position;
  }

  /** All bytes before this position are in the file. */
  get written(): number {
    return this.#written;
  }

  /** Takes a chunk if more may be written at once, without the cost of a promise. Otherwise `write` has to be called. */
  takes(chunk: Uint8Array, release?: ChunkRelease): boolean {
    if (this.#fault !== undefined || this.#gatheredBytes + chunk.length >= pauseBytes) return false;
    this.#gather(chunk, release);
    if (this.#flight === undefined && this.#gatheredBytes >= flushBytes) this.#launch();
    return true;
  }

  /** Resolves when more chunks may be written. An error of an earlier chunk may reject a later call. */
  async write(chunk: Uint8Array, release?: ChunkRelease): Promise<void> {
    this.#throwFault();
    this.#gather(chunk, release);
    if (this.#gatheredBytes >= pauseBytes) await this.#flight;
    if (this.#flight === undefined && this.#gatheredBytes >= flushBytes) this.#launch();
    this.#throwFault();
  }

  /** Resolves when all chunks have been written, and no sync is running. */
  async flush(): Promise<void> {
    await this.handOver();
    await this.#syncing;
    this.#throwFault();
  }

  /** Resolves when all chunks have been written. */
  async handOver(): Promise<void> {
    await this.#flight;
    this.#launch();
    await this.#flight;
    this.#throwFault();
  }

  /** Resolves when no write is running, and none will begin. */
  async stop(): Promise<void> {
    this.#fault ??= { error: new Error("The file is no longer being written.") };
    await this.#flight;
    await this.#syncing;
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #gather(chunk: Uint8Array, release: ChunkRelease | undefined): void {
    if (chunk.length >= smallBytes) {
      this.#takeCopies();
      this.#gathered.push(chunk);
      if (release !== undefined) this.#releases.push(() => release(chunk));
    } else {
      if (this.#copiedBytes + chunk.length > this.#copies.length) {
        this.#takeCopies();
        this.#copies = Buffer.allocUnsafe(smallBytes);
      }
      this.#copies.set(chunk, this.#copiedBytes);
      this.#copiedBytes += chunk.length;
    }
    this.#gatheredBytes += chunk.length;
  }

  /** The rest of the buffer is used for later chunks. */
  #takeCopies(): void {
    if (this.#copiedBytes === 0) return;
    this.#gathered.push(this.#copies.subarray(0, this.#copiedBytes));
    this.#copies = this.#copies.subarray(this.#copiedBytes);
    this.#copiedBytes = 0;
  }

  #launch(): void {
    this.#takeCopies();
    if (this.#fault !== undefined || this.#gathered.length === 0) return;
    const chunks = this.#gathered;
    const releases = this.#releases;
    const position = this.#position;
    this.#position += this.#gatheredBytes;
    this.#gathered = [];
    this.#releases = [];
    this.#gatheredBytes = 0;
    this.#flight = this.#writeAll(chunks, position, releases);
  }

  /** Never rejects, because it may not be awaited. */
  async #writeAll(chunks: readonly Uint8Array[], position: number, releases: readonly (() => void)[]): Promise<void> {
    try {
      let at = position;
      for (let rest = chunks; rest.length > 0; ) {
        const { bytesWritten } = await this.#file.writev(rest, at);
        at += bytesWritten;
        rest = without(rest, bytesWritten);
      }
      this.#written = at;
      this.#unsyncedBytes += at - position;
      for (const release of releases) release();
    } catch (error) {
      this.#fault ??= { error };
    } finally {
      this.#flight = undefined;
    }
    this.#syncNowAndThen();
  }

  /** The first error of the file; it is reported once. */
  #syncNowAndThen(): void {
    if (this.#file.datasync === undefined || this.#fault !== undefined || this.#syncing !== undefined || this.#unsyncedBytes < syncBytes) return;
    this.#unsyncedBytes = 0;
    this.#syncing = this.#file.datasync().then(
      () => {
        this.#syncing = undefined;
      },
      (error: unknown) => {
        this.#syncing = undefined;
        this.#fault ??= { error };
      },
    );
  }
}

/** A disk that is almost full may write a part; the next write reports the error. */
function without(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (skipped + chunk.length > bytes) return [chunk.subarray(bytes - skipped), ...chunks.slice(index + 1)];
    skipped += chunk.length;
  }
  return [];
}
