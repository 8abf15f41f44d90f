import assert from "node:assert/strict";
import type { BlobDrafts, BlobStore, ByteRange, Draft, DraftWriter } from "../../ground/storage/files/blobs.js";
import { assertSameBytes, joined } from "./bytes.js";
import type { BlobStage } from "./stage.js";

const mebibyte = 1_048_576;

/** The drafts of a store; fails if it has none. */
export function draftsOf({ drafts }: BlobStore): BlobDrafts {
  assert.ok(drafts !== undefined);
  return drafts;
}

/** A draft after a round trip through JSON, as callers store it. */
export function kept(draft: Draft): Draft {
  assert.equal(typeof draft.state, "string");
  assert.ok(Buffer.byteLength(draft.state) <= mebibyte, "the state is larger than a mebibyte");
  const copy: unknown = JSON.parse(JSON.stringify({ state: draft.state, size: draft.size }));
  assert.deepEqual(copy, { state: draft.state, size: draft.size }, "the state is not plain text");
  return { state: draft.state, size: draft.size };
}

export async function begin(store: BlobStore, key: string, contentType?: string): Promise<Draft> {
  const draft = kept(await draftsOf(store).begin(key, { contentType }));
  assert.equal(draft.size, 0);
  return draft;
}

/** Resumes an existing draft. */
export async function resume(store: BlobStore, key: string, draft: Draft, options?: Parameters<BlobDrafts["resume"]>[2]): Promise<DraftWriter> {
  const writer = await draftsOf(store).resume(key, draft, options);
  assert.ok(writer !== undefined, "there is no such draft");
  return writer;
}

/** Writes copies of the chunks, each of which is overwritten when the store gives it back. */
export async function writeAll(writer: DraftWriter, chunks: Uint8Array | readonly Uint8Array[]): Promise<void> {
  for (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) await writer.write(Buffer.from(chunk), (given) => given.fill(0));
}

export async function flush(writer: DraftWriter): Promise<Draft> {
  return kept(await writer.flush());
}

/** Resumes a draft, appends bytes and closes it. */
export async function append(
  store: BlobStore,
  key: string,
  draft: Draft,
  chunks: Uint8Array | readonly Uint8Array[],
  options?: Parameters<BlobDrafts["resume"]>[2],
): Promise<Draft> {
  const writer = await resume(store, key, draft, options);
  try {
    await writeAll(writer, chunks);
    return await flush(writer);
  } finally {
    await writer.close();
  }
}

/** Creates a draft with these bytes. */
export async function draftOf(stage: BlobStage, key: string, chunks: Uint8Array | readonly Uint8Array[], contentType?: string): Promise<Draft> {
  return append(stage.store, key, await begin(stage.store, key, contentType), chunks);
}

/** The bytes of an existing draft, in a store that can read drafts. */
export async function draftBytes(store: BlobStore, key: string, draft: Draft, range?: ByteRange): Promise<Buffer> {
  return joined(await readDraft(store, key, draft, range));
}

/** The stream of an existing draft, not yet read. */
export async function readDraft(store: BlobStore, key: string, draft: Draft, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const read = await draftsOf(store).read?.(key, draft, range);
  assert.ok(read !== undefined, "there is no such draft");
  return read;
}

/** Asserts that the draft has exactly these bytes, if the store can read drafts. */
export async function assertDraftBytes(store: BlobStore, key: string, draft: Draft, bytes: Uint8Array, what = "the draft"): Promise<void> {
  assert.equal(draft.size, bytes.length, `the size of ${what}`);
  if (draftsOf(store).read !== undefined) assertSameBytes(await draftBytes(store, key, draft), bytes, what);
}

/** Asserts that completing the draft creates a blob with exactly these bytes. */
export async function assertCompletes(stage: BlobStage, key: string, draft: Draft, bytes: Uint8Array): Promise<void> {
  assert.equal(draft.size, bytes.length, "the size of the draft");
  const completed = await draftsOf(stage.store).complete(key, draft);
  assert.equal(completed?.size, bytes.length);
  assert.deepEqual(await stage.store.stat(key), completed);
  assertSameBytes(await stage.bytes(key), bytes);
}

/** Asserts that the draft cannot be resumed, read or completed. */
export async function assertGone(store: BlobStore, key: string, draft: Draft): Promise<void> {
  const drafts = draftsOf(store);
  assert.equal(await drafts.resume(key, draft), undefined, "the draft can be resumed");
  assert.equal(await drafts.resume(key, draft, { isContested: true }), undefined, "the draft can be taken over");
  assert.equal(await drafts.read?.(key, draft), undefined, "the draft can be read");
}
