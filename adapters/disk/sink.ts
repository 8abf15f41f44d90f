/** What is needed of a file: a `FileHandle` of node:fs. It may take less than it is given. */
export interface PositionedFile {
  writev(chunks: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  /** Makes durable what was written. */
  datasync?(): Promise<void>;
}

/** Chunks are written together from here on: a write costs as much as 64 KiB. */
const flushBytes = 65_536;
/** What waits in memory at most, beside what is being written. */
const pauseBytes = 1_048_576;
/** The disk is kept at work after so many bytes: otherwise all of a large file waits to be made durable at its end. */
const syncBytes = 2_097_152;
/** Chunks below this are copied together: a list of a million bytes takes up a hundred times as much. */
const smallBytes = 16_384;

/** Writes chunks one behind the other into a file, one write in flight while the next chunks are gathered. */
export class FileSink {
  readonly #file: PositionedFile;
  #position: number;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  /** Where small chunks are copied to, and how much of it is used. */
  #copies = Buffer.alloc(0);
  #copiedBytes = 0;
  #flight: Promise<void> | undefined;
  #unsyncedBytes = 0;
  #syncing: Promise<void> | undefined;
  #fault: { readonly error: unknown } | undefined;

  /** @param position where the first chunk goes, in bytes */
  constructor(file: PositionedFile, position = 0) {
    this.#file = file;
    this.#position = position;
  }

  /** Resolves when more may come; an error of an earlier chunk may come with a later one. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#throwFault();
    this.#gather(chunk);
    if (this.#gatheredBytes >= pauseBytes) await this.#flight;
    if (this.#flight === undefined && this.#gatheredBytes >= flushBytes) this.#launch();
    this.#throwFault();
  }

  /** Resolves when all of it is the file's. */
  async flush(): Promise<void> {
    await this.#flight;
    this.#launch();
    await this.#flight;
    await this.#syncing;
    this.#throwFault();
  }

  /** Resolves when nothing is in flight, and nothing will be. */
  async stop(): Promise<void> {
    this.#fault ??= { error: new Error("The file is no longer being written.") };
    await this.#flight;
    await this.#syncing;
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #gather(chunk: Uint8Array): void {
    if (chunk.length >= smallBytes) {
      this.#takeCopies();
      this.#gathered.push(chunk);
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

  /** What is left of the buffer is for later chunks. */
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
    const position = this.#position;
    this.#position += this.#gatheredBytes;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#flight = this.#writeAll(chunks, position);
  }

  /** Never rejects: nobody may be waiting. */
  async #writeAll(chunks: readonly Uint8Array[], position: number): Promise<void> {
    try {
      let at = position;
      for (let rest = chunks; rest.length > 0; ) {
        const { bytesWritten } = await this.#file.writev(rest, at);
        at += bytesWritten;
        rest = without(rest, bytesWritten);
      }
    } catch (error) {
      this.#fault ??= { error };
    } finally {
      this.#flight = undefined;
    }
    this.#syncNowAndThen(chunks);
  }

  /** What is reported here is reported to nobody else: it is a fault of the file. */
  #syncNowAndThen(chunks: readonly Uint8Array[]): void {
    for (const { length } of chunks) this.#unsyncedBytes += length;
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

/** A disk that is about to be full takes a part; the next write says why. */
function without(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (skipped + chunk.length > bytes) return [chunk.subarray(bytes - skipped), ...chunks.slice(index + 1)];
    skipped += chunk.length;
  }
  return [];
}
