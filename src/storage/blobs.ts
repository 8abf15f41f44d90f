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

/** A blob that is written over many requests, by whoever has the truth about it. Nobody sees anything of it before it is completed. */
export interface Draft {
  /** The store's own text, to be kept by the caller and handed back: which file, which parts. At most a mebibyte. */
  readonly state: string;
  /** Bytes that are durable. */
  readonly size: number;
}

/** Adds bytes to a draft. One call at a time. */
export interface DraftWriter {
  /** Resolves when more may come. The chunk is the store's from then on. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes all that was written durable. The draft that is returned takes the place of the one before; the one before stays good until `delete`, `complete` or the next `resume`. */
  flush(): Promise<Draft>;
  /** Lets go of what is held open; what was not flushed may be lost. Never rejects. */
  close(): Promise<DraftEnd>;
}

/** What is left of a writer that was closed. */
export interface DraftEnd {
  /** Something of it may be on its way still, though it was given up: who goes on with a draft from before its last `flush` has to do so as `isContested`. */
  readonly isContested: boolean;
}

/**
 * Blobs that come in pieces. Whoever calls keeps the draft where it can be changed by one at a time, and hands back the newest: what was written after it is
 * no part of the blob any more.
 */
export interface BlobDrafts {
  /** Begins an empty one. */
  begin(key: string, options?: { readonly contentType?: string | undefined; readonly size?: number | undefined }): Promise<Draft>;
  /**
   * Goes on behind the bytes of `draft`.
   *
   * @param options.isContested somebody who had it before may still be writing, or has said so when they closed it. Nothing that they write from now on may ever become a part of the draft
   *   that the first `flush` returns.
   * @returns `undefined` where the draft is gone
   */
  resume(key: string, draft: Draft, options?: { readonly isContested?: boolean | undefined }): Promise<DraftWriter | undefined>;
  /**
   * The bytes of a draft, as `BlobStore.read` has those of a blob, in stores that can read what is not complete yet; S3 cannot. Nobody may be writing.
   *
   * @returns `undefined` where the draft is gone
   */
  read?(key: string, draft: Draft, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Makes the draft a whole blob, in place of one that had its key; all else that was begun under the key goes. Done again after an answer that was lost, it
   * answers the same. Nobody may be writing.
   *
   * @returns `undefined` where there is neither the draft nor a whole blob of its size
   */
  complete(key: string, draft: Draft): Promise<BlobStat | undefined>;
}

/** How bytes may be sent to the store itself. */
export interface PresignPutOptions {
  readonly contentType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
  /** Seconds. */
  readonly expiresIn: number;
}

/** A request that a client makes of the store itself. */
export interface PresignedPut {
  readonly url: string;
  readonly method: "PUT";
  /** What the client has to send along, without Content-Length and Host. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A blob that clients send to the store themselves, in parts. */
export interface DirectParts {
  /** Begins one. The draft is to be kept, as that of `BlobDrafts`. */
  begin(key: string, options: { readonly contentType?: string | undefined; readonly size: number }): Promise<Draft & { readonly partBytes: number }>;
  /** Addresses for parts by their numbers, from 1. */
  presign(
    key: string,
    draft: Draft,
    numbers: readonly number[],
    options: { readonly expiresIn: number },
  ): Promise<readonly { readonly n: number; readonly url: string }[]>;
  /** The parts that have arrived. */
  list(key: string, draft: Draft): Promise<readonly { readonly n: number; readonly size: number; readonly etag: string }[]>;
  /** Makes a whole blob of the parts that have arrived, if they are `size` bytes together, and answers again what it answered. @returns `undefined` where they are not */
  complete(key: string, draft: Draft, size: number): Promise<BlobStat | undefined>;
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
  /** The longest blob that `open` can take without being told its size, in bytes; any unless given. */
  readonly mostBytes?: number | undefined;
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
  /** Blobs that come in pieces, for uploads that can be resumed. */
  readonly drafts?: BlobDrafts | undefined;
  /** An address to which a client can send a blob itself. It is whole once that is answered. */
  presignPut?(key: string, options: PresignPutOptions): Promise<PresignedPut>;
  /** The same in parts, for what is too large for one request. */
  readonly directParts?: DirectParts | undefined;
  /** Resolves when the store answers. @throws {Unavailable} */
  ping?(): Promise<void>;
  /** Lets go of connections. `service.close()` calls it. */
  close?(): Promise<void>;
}
