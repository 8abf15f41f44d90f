/** Metadata of a blob. */
export interface BlobStat {
  /** In bytes. */
  readonly size: number;
  readonly contentType: string | undefined;
  /** A strong entity tag without quotes. It differs for different bytes under the same key. */
  readonly etag: string;
  readonly lastModified: Date;
}

/** A blob in a listing. */
export interface BlobListing extends Pick<BlobStat, "size" | "lastModified"> {
  readonly key: string;
  /** Whether it can be read. A blob that was begun and never committed cannot be read but takes up space. */
  readonly complete: boolean;
}

/** Receives a chunk that a store has written and does not need any more. It must not throw. */
export type ChunkRelease = (chunk: Uint8Array) => void;

/** A blob that is being written. It is invisible before `commit`. */
export interface BlobWriter {
  /**
   * Resolves when the next chunk may be written. One write at a time. The store owns the chunk from then on: the caller must not change it.
   *
   * @param release called with the chunk when the store has no more use for it, so that the caller can use or release its memory; a store need not call it
   */
  write(chunk: Uint8Array, release?: ChunkRelease): Promise<void>;
  /**
   * Begins to compute the SHA-256 of the blob, off the event loop and behind its writes; to be called once. It pays for blobs of more than about a mebibyte. Stores that offer
   * it have `sha256`.
   */
  follow?(): void;
  /**
   * SHA-256 of all bytes of a blob that is followed, in lower-case hex; `undefined` if the store cannot compute it now. Call it between the last write and `commit`, which
   * need not wait for it.
   */
  sha256?(): Promise<string | undefined>;
  /** Makes the blob complete and durable, and replaces a blob with the same key. The writer cannot be used afterwards. Rejects if `delete` came first. */
  commit(): Promise<BlobStat>;
  /** Removes everything that was written. Does nothing after `commit`. */
  abort(): Promise<void>;
}

/** A blob that is written over many requests. The caller keeps its state. It is invisible before it is completed. */
export interface Draft {
  /** Opaque text of the store, such as file and parts, which the caller stores and passes back. At most one mebibyte. */
  readonly state: string;
  /** Number of durable bytes. */
  readonly size: number;
}

/** Adds bytes to a draft. One call at a time. */
export interface DraftWriter {
  /** As `BlobWriter.write`. */
  write(chunk: Uint8Array, release?: ChunkRelease): Promise<void>;
  /** Makes all written bytes durable. The returned draft replaces the one before, which stays valid until `delete`, `complete` or the next `resume`. */
  flush(): Promise<Draft>;
  /**
   * Faster than `flush`: afterwards the written bytes survive the end of this process, but perhaps not a power cut, and `BlobDrafts.recover` finds them. Stores
   * without it cannot do better than `flush`.
   */
  readonly handOver?: (() => Promise<void>) | undefined;
  /** Releases open resources; bytes that were not flushed may be lost. Never rejects. */
  close(): Promise<DraftEnd>;
}

/** The state of a writer after it was closed. */
export interface DraftEnd {
  /** An abandoned write may still reach the storage: a caller that continues with a draft from before the last `flush` must pass `isContested`. */
  readonly isContested: boolean;
}

/**
 * Blobs that are written over many requests. The caller stores the draft where only one writer at a time can change it, and passes back the newest: bytes written after it are
 * not part of the blob.
 */
export interface BlobDrafts {
  /** Begins an empty draft. */
  begin(key: string, options?: { readonly contentType?: string | undefined; readonly size?: number | undefined }): Promise<Draft>;
  /**
   * Continues after the bytes of `draft`.
   *
   * @param options.isContested an earlier writer may still be writing, or has said so when it was closed. Nothing that it writes from now on may become part of the draft
   *   that the first `flush` returns.
   * @returns `undefined` if the draft is gone
   */
  resume(key: string, draft: Draft, options?: { readonly isContested?: boolean | undefined }): Promise<DraftWriter | undefined>;
  /**
   * Finds bytes that an earlier writer received after the `flush` that returned this draft, and makes them durable. Call it only if all bytes that were written since
   * belong to the draft.
   *
   * @returns the draft with these bytes; `undefined` if only those of `draft` itself are certain, such as after a restart of the machine
   */
  recover?(key: string, draft: Draft): Promise<Draft | undefined>;
  /**
   * Tells the store that the bytes of a draft will not change any more, so that it can begin to compute their hash, off the event loop. Resolves when it has done so; never
   * rejects. Stores that offer it have `sha256`.
   */
  follow?(key: string, draft: Draft): Promise<void>;
  /** SHA-256 of the bytes of a draft in lower-case hex, off the event loop; `undefined` if the store cannot compute it now. No writer may be open. */
  sha256?(key: string, draft: Draft): Promise<string | undefined>;
  /**
   * Reads the bytes of a draft, as `BlobStore.read` does for a blob, in stores that can read an incomplete blob; S3 cannot. No writer may be open.
   *
   * @returns `undefined` if the draft is gone
   */
  read?(key: string, draft: Draft, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Makes the draft a complete blob and replaces a blob with the same key; everything else that was begun under the key is removed. Repeated after a lost response, it
   * returns the same. No writer may be open.
   *
   * @returns `undefined` if neither the draft nor a complete blob of its size exists
   */
  complete(key: string, draft: Draft): Promise<BlobStat | undefined>;
}

/** The conditions for sending bytes directly to the store. */
export interface PresignPutOptions {
  readonly contentType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
  /** Seconds. */
  readonly expiresIn: number;
}

/** A request that a client sends directly to the store. */
export interface PresignedPut {
  readonly url: string;
  readonly method: "PUT";
  /** Headers that the client must send, without Content-Length and Host. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Blobs that clients send directly to the store, in parts. */
export interface DirectParts {
  /** Begins a blob. The caller stores the draft, as that of `BlobDrafts`. */
  begin(key: string, options: { readonly contentType?: string | undefined; readonly size: number }): Promise<Draft & { readonly partBytes: number }>;
  /** Signed requests for parts by their numbers, from 1. */
  presign(
    key: string,
    draft: Draft,
    numbers: readonly number[],
    options: { readonly expiresIn: number },
  ): Promise<readonly { readonly n: number; readonly url: string }[]>;
  /** The parts that have arrived. */
  list(key: string, draft: Draft): Promise<readonly { readonly n: number; readonly size: number; readonly etag: string }[]>;
  /** Makes a complete blob of the parts that have arrived, if they have `size` bytes together. Repeated, it returns the same. @returns `undefined` if they have not */
  complete(key: string, draft: Draft, size: number): Promise<BlobStat | undefined>;
}

/** Bytes from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Bytes under keys. The caller makes the keys, of `[A-Za-z0-9_-]{1,128}`; they are never names that clients chose. A key is written once: other bytes need
 * another key. Every process that works on the same storage of rows must see the same blobs.
 *
 * A store throws `Unavailable` if it cannot respond now, and `TypeError` for an invalid key.
 */
export interface BlobStore {
  /** For messages: `memory`, `disk`, `s3`. */
  readonly name: string;
  /** The largest blob that `open` accepts without a size, in bytes; unlimited if absent. */
  readonly maxBytes?: number | undefined;
  /** Begins a blob, which becomes visible complete or not at all. */
  open(key: string, options?: { readonly contentType?: string | undefined; readonly size?: number | undefined }): Promise<BlobWriter>;
  /** `undefined` if there is no complete blob. */
  stat(key: string): Promise<BlobStat | undefined>;
  /**
   * The bytes in chunks of at most about 64 KiB, to be iterated once; ending the iteration early releases its resources. A range that ends after the
   * blob's end stops there, and a range that begins there is empty.
   *
   * @returns `undefined` if there is no complete blob
   */
  read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Removes a blob, complete or not, and everything that was begun under its key. `false` if there was none. An open read continues or fails; it never returns other bytes. */
  delete(key: string): Promise<boolean>;
  /**
   * Blobs whose keys begin with `prefix` and that were last written before `before`, each key once and in any order, including those that were never committed.
   * A complete blob is listed as complete, whatever else was begun under its key.
   */
  list(prefix: string, options: { readonly before: Date }): AsyncIterable<BlobListing>;
  /** A URL at which the blob can be fetched directly from the store, for this many seconds. */
  presignGet?(
    key: string,
    options: { readonly expiresIn: number; readonly filename?: string | undefined; readonly contentType?: string | undefined },
  ): Promise<string>;
  /** Blobs that are written over many requests, for resumable uploads. */
  readonly drafts?: BlobDrafts | undefined;
  /** A request with which a client can send a blob directly to the store. The blob is complete after a successful response. */
  presignPut?(key: string, options: PresignPutOptions): Promise<PresignedPut>;
  /** The same in parts, for blobs that are too large for one request. */
  readonly directParts?: DirectParts | undefined;
  /** Resolves when the store responds. @throws {Unavailable} */
  ping?(): Promise<void>;
  /** Closes connections. `service.close()` calls it. */
  close?(): Promise<void>;
}
