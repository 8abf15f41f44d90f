import type { BlobDrafts, BlobStore, BlobWriter, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { type ReadableDrafts, readableDrafts } from "./readableDrafts.js";

/** What a store does otherwise than the sound one that it is made of. */
export type Breaking = (sound: BlobStore) => Partial<BlobStore>;

/** A store whose writers are changed. */
export function writers(change: (writer: BlobWriter, sound: BlobStore, key: string) => Partial<BlobWriter>): Breaking {
  return (sound) => ({
    open: async (key, options) => {
      const writer = await sound.open(key, options);
      return { ...writer, ...change(writer, sound, key) };
    },
  });
}

/** A store whose readers get other chunks. */
export function chunks(change: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): Breaking {
  return (sound) => ({
    read: async (key, range) => {
      const read = await sound.read(key, range);
      return read && change(read);
    },
  });
}

/** A store whose drafts are changed. */
export function drafts(change: (drafts: ReadableDrafts, sound: BlobStore) => Partial<BlobDrafts>): Breaking {
  return (sound) => {
    const all = readableDrafts(sound);
    return { drafts: { ...all, ...change(all, sound) } };
  };
}

/** The drafts of a store whose writers are changed. */
export function resumingWith(
  sound: BlobDrafts,
  change: (writer: DraftWriter, key: string, draft: Draft) => Partial<DraftWriter>,
): BlobDrafts["resume"] {
  return async (key, draft, options) => {
    const writer = await sound.resume(key, draft, options);
    return writer && { ...writer, ...change(writer, key, draft) };
  };
}

/** Writes a blob behind the back of everybody. */
export async function putAtOnce(store: BlobStore, key: string, bytes: Uint8Array): Promise<void> {
  const writer = await store.open(key);
  await writer.write(bytes);
  await writer.commit();
}

/** Looks for the bytes anew for each chunk. */
export async function reopening(sound: BlobStore, key: string, start: number, end: number): Promise<AsyncIterable<Uint8Array> | undefined> {
  if ((await sound.stat(key)) === undefined) return undefined;
  return (async function* () {
    for (let at = start; at < end; ) {
      const read = (await sound.read(key, { start: at, end: Math.min(at + 65_536, end) })) ?? [];
      const before = at;
      for await (const chunk of read) {
        at += chunk.length;
        yield chunk;
      }
      if (at === before) return;
    }
  })();
}
