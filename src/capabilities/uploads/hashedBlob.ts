import { createHash, type Hash } from "node:crypto";
import { releaseChunk } from "../../ground/http/body/ownChunks.js";
import type { BlobStore, BlobWriter } from "../../ground/storage/files/blobs.js";
import { blobBytes } from "./finish/checkBlob.js";

/** Larger files are hashed by the blob store, if it can: for smaller ones it costs more to ask it. */
export const followedBytes = 1_048_576;

/** A blob that was written. */
export interface HashedBlob {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of all bytes, in lower-case hex. */
  readonly sha256: string;
}

/** Writes a blob and computes its SHA-256: as its bytes arrive, and for a larger one by the blob store, off the event loop, if it can. */
export class HashedBlobWriter {
  readonly #blobs: BlobStore;
  readonly #key: string;
  readonly #writer: BlobWriter;
  /** `undefined` if the store computes the hash. */
  #hash: Hash | undefined = createHash("sha256");
  #size = 0;

  private constructor(blobs: BlobStore, key: string, writer: BlobWriter) {
    this.#blobs = blobs;
    this.#key = key;
    this.#writer = writer;
  }

  /** Begins the blob, as `BlobStore.open` does. */
  static async open(blobs: BlobStore, key: string, options: Parameters<BlobStore["open"]>[1] = {}): Promise<HashedBlobWriter> {
    return new HashedBlobWriter(blobs, key, await blobs.open(key, options));
  }

  /** The caller must not read the chunk afterwards. */
  write(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.length;
    if (this.#size > followedBytes && this.#hash !== undefined && this.#writer.follow !== undefined) {
      this.#hash = undefined;
      this.#writer.follow();
    }
    this.#hash?.update(chunk);
    return this.#writer.write(chunk, releaseChunk);
  }

  /** Commits the blob. If the store cannot compute the hash, the blob is read. @throws {Unavailable} */
  async commit(): Promise<HashedBlob> {
    const computed = this.#hash === undefined ? this.#writer.sha256?.().catch(() => undefined) : undefined;
    await this.#writer.commit();
    const sha256 = this.#hash?.digest("hex") ?? (await computed) ?? (await sha256Of(this.#blobs, this.#key));
    return { size: this.#size, sha256 };
  }

  abort(): Promise<void> {
    return this.#writer.abort();
  }
}

/** The SHA-256 of a blob in lower-case hex. It reads the whole blob. @throws {ProblemError} GONE if the blob is missing */
export async function sha256Of(blobs: BlobStore, key: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of await blobBytes(blobs, key)) hash.update(chunk);
  return hash.digest("hex");
}
