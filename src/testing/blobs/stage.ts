import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { BlobListing, BlobStat, BlobStore, ByteRange } from "../../storage/blobs.js";
import { joined } from "./bytes.js";

/** A store to be checked. */
export interface BlobSubject {
  readonly store: BlobStore;
  /** Another store on the same data, as another process would have it. */
  again?(): Promise<BlobStore>;
  /** Begins a blob in a process of its own, writes so many bytes, and kills that process; resolves when it is dead. */
  dieWriting?(key: string, bytes: number): Promise<void>;
}

/** Later than anything that was ever written. */
const never = new Date(8.64e15);

/** Where scenarios play: one store for all of them, keys that no other scenario uses. */
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

  /** A store of its own, for what looks at all blobs at once. */
  another(): Promise<BlobStage> {
    return BlobStage.open(this.#open);
  }

  /** A key that nobody else uses, and that no other key begins with. */
  key(): string {
    return randomUUID();
  }

  /** Writes a blob in chunks, and commits it. */
  async put(key: string, chunks: Uint8Array | readonly Uint8Array[], contentType?: string): Promise<BlobStat> {
    const writer = await this.store.open(key, { contentType });
    for (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) await writer.write(chunk);
    return writer.commit();
  }

  /** The bytes of a blob that there has to be. */
  async bytes(key: string, range?: ByteRange): Promise<Buffer> {
    return joined(await this.read(key, range));
  }

  /** The same, unread. */
  async read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const read = await this.store.read(key, range);
    assert.ok(read !== undefined, "there is no such blob");
    return read;
  }

  /** What a store says of keys that begin with `prefix`, in the order of the keys. */
  async listed(prefix: string, before = never, store = this.store): Promise<readonly BlobListing[]> {
    const listings: BlobListing[] = [];
    for await (const listing of store.list(prefix, { before })) listings.push(listing);
    return listings.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** There is no whole blob, as far as anybody can see. */
  async assertNone(key: string, store = this.store): Promise<void> {
    assert.equal(await store.stat(key), undefined, "stat sees a blob");
    assert.equal(await store.read(key), undefined, "read sees a blob");
  }

  /** There is nothing of a blob, not even a part. */
  async assertNothing(key: string): Promise<void> {
    await this.assertNone(key);
    assert.deepEqual(await this.listed(key), [], "something is left");
    assert.equal(await this.store.delete(key), false, "there was something to delete");
  }
}
