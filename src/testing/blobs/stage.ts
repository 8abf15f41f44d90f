import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { BlobListing, BlobStat, BlobStore, ByteRange } from "../../ground/storage/files/blobs.js";
import { joined } from "./bytes.js";

/** The store under test. */
export interface BlobSubject {
  readonly store: BlobStore;
  /** Opens another store on the same data, as another process would. */
  again?(): Promise<BlobStore>;
  /** Begins a blob in another process, writes this many bytes and kills the process; resolves when it is dead. */
  dieWriting?(key: string, bytes: number): Promise<void>;
}

/** Later than every write. */
const never = new Date(8.64e15);

/** The fixture of all scenarios: one store, and keys that no other scenario uses. */
export class BlobStage {
  readonly subject: BlobSubject;
  readonly store: BlobStore;
  readonly #open: () => Promise<BlobSubject>;

  private constructor(subject: BlobSubject, open: () => Promise<BlobSubject>) {
    this.subject = subject;
    this.store = subject.store;
    this.#open = open;
  }

  static async open(open: () => Promise<BlobSubject>): Promise<BlobStage> {
    return new BlobStage(await open(), open);
  }

  /** Opens a separate store, for scenarios about all blobs. */
  another(): Promise<BlobStage> {
    return BlobStage.open(this.#open);
  }

  /** A unique key that is not a prefix of another key. */
  key(): string {
    return randomUUID();
  }

  /** Writes a blob in chunks and commits it. */
  async put(key: string, chunks: Uint8Array | readonly Uint8Array[], contentType?: string): Promise<BlobStat> {
    const writer = await this.store.open(key, { contentType });
    for (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) await writer.write(chunk);
    return writer.commit();
  }

  /** The bytes of an existing blob. */
  async bytes(key: string, range?: ByteRange): Promise<Buffer> {
    return joined(await this.read(key, range));
  }

  /** The stream of an existing blob, not yet read. */
  async read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const read = await this.store.read(key, range);
    assert.ok(read !== undefined, "there is no such blob");
    return read;
  }

  /** The listing of keys with a prefix, ordered by key. */
  async listed(prefix: string, before = never, store = this.store): Promise<readonly BlobListing[]> {
    const listings: BlobListing[] = [];
    for await (const listing of store.list(prefix, { before })) listings.push(listing);
    return listings.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Asserts that no complete blob is visible. */
  async assertNone(key: string, store = this.store): Promise<void> {
    assert.equal(await store.stat(key), undefined, "stat sees a blob");
    assert.equal(await store.read(key), undefined, "read sees a blob");
  }

  /** Asserts that nothing of a blob exists, not even an incomplete part. */
  async assertNothing(key: string): Promise<void> {
    await this.assertNone(key);
    assert.deepEqual(await this.listed(key), [], "something is left");
    assert.equal(await this.store.delete(key), false, "there was something to delete");
  }
}
