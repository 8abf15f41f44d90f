/** What a store knows of a blob. */
export interface BlobStat {
  /** In bytes. */
  readonly size: number;
  readonly contentType: string | undefined;
  /** Strong, without quotes: another one for other bytes under the same key. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** A blob in a listing. */
export interface BlobListing extends Pick<BlobStat, "size" | "lastModified"> {
  readonly key: string;
  /** Whether it can be read; what was begun and never committed cannot, but takes up room. */
  readonly complete: boolean;
}

/** A blob that is being written. Nobody sees anything of it before `commit`. */
export interface BlobWriter {
  /** Resolves when more may come. One write at a time. The chunk is the store's from then on: nobody may change it. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the blob whole and durable, in place of one that had its key. The writer is of no use afterwards. Rejects where `delete` came first. */
  commit(): Promise<BlobStat>;
  /** Leaves nothing behind. Does nothing after `commit`. */
  abort(): Promise<void>;
}

/** Bytes from `start` up to and without `end`, both in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Bytes under keys. Keys are the caller's own, of `[A-Za-z0-9_-]{1,128}`, never names that clients chose. A key is written once: who wants other bytes takes
 * another key. Every process that works on the same storage of rows must see the same blobs.
 *
 * A store throws `Unavailable` where it cannot answer now, and `TypeError` for a key that is none.
 */
export interface BlobStore {
  /** For messages: `memory`, `disk`, `s3`. */
  readonly name: string;
  /** Begins a blob: whole or not at all. */
  open(key: string, options?: { readonly contentType?: string | undefined; readonly size?: number | undefined }): Promise<BlobWriter>;
  /** `undefined` where there is no whole blob. */
  stat(key: string): Promise<BlobStat | undefined>;
  /**
   * The bytes in chunks of at most 64 KiB or so, to be iterated once; ending the iteration early releases what it holds. A range that ends behind the
   * blob's end stops there, and one that begins there is empty.
   *
   * @returns `undefined` where there is no whole blob
   */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Removes a blob, whole or not, with all that was begun under its key. `false` where there was none. Who is reading it reads on, or has an error; never other bytes. */
  delete(key: string): Promise<boolean>;
  /**
   * Blobs whose keys begin with `prefix` and that were last written before `before`, each key once and in no order; those that were never committed, too.
   * A whole blob is whole, whatever else was begun under its key.
   */
  list(prefix: string, options: { readonly before: Date }): AsyncIterable<BlobListing>;
  /** An address at which the blob can be fetched from the store itself, for so many seconds. */
  presignGet?(
    key: string,
    options: { readonly expiresIn: number; readonly filename?: string | undefined; readonly contentType?: string | undefined },
  ): Promise<string>;
  /** Resolves when the store answers. @throws {Unavailable} */
  ping?(): Promise<void>;
  close?(): Promise<void>;
}
