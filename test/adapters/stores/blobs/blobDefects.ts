import type { BlobWriter } from "../../../../src/ground/storage/files/blobs.js";
import { type Breaking, chunks, putAtOnce, reopening, writers } from "./brokenBlobs.js";

/** Stores that break one promise each, and the check that has to notice. */
export const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a type that is forgotten": {
    noticedBy: "a blob returns its bytes and its metadata",
    breaking: (sound) => ({ open: (key) => sound.open(key) }),
  },
  "a type that is cut off": {
    noticedBy: "a content type of any length is stored unchanged",
    breaking: (sound) => ({ open: (key, options) => sound.open(key, { contentType: options?.contentType?.slice(0, 255) }) }),
  },
  "a commit that answers something else than stat": {
    noticedBy: "a blob returns its bytes and its metadata",
    breaking: writers((writer) => ({ commit: async () => ({ ...(await writer.commit()), etag: "other" }) })),
  },
  "bytes that are seen before the commit": {
    noticedBy: "a blob is not visible before it is committed",
    breaking: writers((writer, sound, key) => ({
      write: async (chunk) => {
        await writer.write(chunk);
        await putAtOnce(sound, key, chunk);
      },
    })),
  },
  "a chunk that is lost": {
    noticedBy: "5 MiB of random bytes",
    breaking: writers((writer) => ({ write: async (chunk) => (chunk.length === 16_383 ? undefined : writer.write(chunk)) })),
  },
  "a hash of other bytes": {
    noticedBy: "the SHA-256 of a blob that is followed",
    breaking: writers(() => ({ follow: () => {}, sha256: async () => "0".repeat(64) })),
  },
  "an abort that leaves the part": {
    noticedBy: "an aborted blob leaves nothing",
    breaking: writers(() => ({ abort: async () => {} })),
  },
  "an abort that commits": {
    noticedBy: "an aborted blob leaves nothing",
    breaking: writers((writer) => ({ abort: async () => void (await writer.commit().catch(() => {})) })),
  },
  "an abort that removes what was committed": {
    noticedBy: "an abort after the commit does nothing",
    breaking: writers((_writer, sound, key) => ({ abort: async () => void (await sound.delete(key)) })),
  },
  "a writer that goes on after its end": {
    noticedBy: "a writer that has ended rejects further writes",
    breaking: writers((writer) => ({ write: (chunk) => writer.write(chunk).catch(() => {}) })),
  },
  "keys without case": {
    noticedBy: "keys are case-sensitive",
    breaking: (sound) => ({
      open: (key, options) => sound.open(key.toLowerCase(), options),
      read: (key, range) => sound.read(key.toLowerCase(), range),
    }),
  },
  "keys that are paths": {
    noticedBy: "an invalid key is a TypeError",
    breaking: (sound) => ({ stat: async (key) => (key.includes("/") ? undefined : sound.stat(key)) }),
  },
  "the bytes that are kept handed to readers": {
    noticedBy: "a reader that changes its chunks does not change the blob",
    breaking: (sound) => {
      const kept = new Map<string, readonly Uint8Array[]>();
      return {
        read: async (key, range) => {
          if (range !== undefined) return sound.read(key, range);
          const held = kept.get(key) ?? [];
          kept.set(key, held);
          return (async function* () {
            if (held.length === 0) for await (const chunk of (await sound.read(key)) ?? []) (held as Uint8Array[]).push(chunk);
            yield* held;
          })();
        },
      };
    },
  },
  "one buffer for all chunks": {
    noticedBy: "chunks do not change while later ones are read",
    breaking: chunks(async function* (read) {
      const buffer = Buffer.alloc(65_536);
      for await (const chunk of read) {
        buffer.set(chunk);
        yield buffer.subarray(0, chunk.length);
      }
    }),
  },
  "one chunk for all": {
    noticedBy: "reading returns chunks of a reasonable size",
    breaking: chunks(async function* (read) {
      const all: Uint8Array[] = [];
      for await (const chunk of read) all.push(chunk);
      yield Buffer.concat(all);
    }),
  },
  "ranges with their last byte": {
    noticedBy: "a range returns exactly its bytes, and ends at the end of the blob",
    breaking: (sound) => ({ read: (key, range) => sound.read(key, range && { ...range, end: range.end + 1 }) }),
  },
  "ranges that end behind the blob, refused": {
    noticedBy: "an empty range is empty, and so is one after the end",
    breaking: (sound) => ({
      read: async (key, range) => {
        if (range !== undefined && range.start >= ((await sound.stat(key))?.size ?? 0)) throw new RangeError("There are no such bytes.");
        return sound.read(key, range);
      },
    }),
  },
  "a key that is written only once": {
    noticedBy: "a second commit replaces the first and has a new etag",
    breaking: writers((writer, sound, key) => ({ commit: async () => (await sound.stat(key)) ?? writer.commit() })),
  },
  "one tag for all bytes of a key": {
    noticedBy: "a second commit replaces the first and has a new etag",
    breaking: writers((writer, _sound, key) => ({ commit: async () => ({ ...(await writer.commit()), etag: key }) })),
  },
  "a blob that goes when another is begun": {
    noticedBy: "the first blob stays until the second is committed, or if it never is",
    breaking: (sound) => ({
      open: async (key, options) => {
        await sound.delete(key);
        return sound.open(key, options);
      },
    }),
  },
  "a reader who goes on in the second": {
    noticedBy: "a reader of the first blob continues or gets an error, and never bytes of the second",
    breaking: (sound) => ({ read: (key, range) => reopening(sound, key, range?.start ?? 0, range?.end ?? Number.MAX_SAFE_INTEGER) }),
  },
  "a reader who looks for the bytes when it begins": {
    noticedBy: "a reader that has not started gets the first blob or an error, and never bytes of the second",
    breaking: (sound) => ({ read: (key, range) => reopening(sound, key, range?.start ?? 0, range?.end ?? Number.MAX_SAFE_INTEGER) }),
  },
  "an early end where a blob is deleted": {
    noticedBy: "a reader of a deleted blob continues or gets an error, and never other bytes",
    breaking: (sound) => ({
      read: async (key, range) => {
        const read = await sound.read(key, range);
        return (
          read &&
          (async function* () {
            for await (const chunk of read) {
              if ((await sound.stat(key)) === undefined) return;
              yield chunk;
            }
          })()
        );
      },
    }),
  },
  "a delete of all that begins so": {
    noticedBy: "a deleted blob is gone, and no other one",
    breaking: (sound) => ({
      delete: async (key) => {
        let any = false;
        for await (const { key: one } of sound.list(key, { before: new Date(8.64e15) })) any = (await sound.delete(one)) || any;
        return any;
      },
    }),
  },
  "a delete that always says yes": {
    noticedBy: "a deleted blob is gone, and no other one",
    breaking: (sound) => ({ delete: async (key) => (await sound.delete(key)) || true }),
  },
  "a delete of whole blobs only": {
    noticedBy: "a blob that is being written can be deleted, and can then not be committed",
    breaking: (sound) => ({ delete: async (key) => ((await sound.stat(key)) === undefined ? false : sound.delete(key)) }),
  },
  "a listing of everything": {
    noticedBy: "list returns each blob with the prefix once, and no others",
    breaking: (sound) => ({ list: (_prefix, options) => sound.list("", options) }),
  },
  "a listing of all times": {
    noticedBy: "list only returns blobs written before the given time",
    breaking: (sound) => ({ list: (prefix) => sound.list(prefix, { before: new Date(8.64e15) }) }),
  },
  "a listing of whole blobs only": {
    noticedBy: "a blob is listed as incomplete until it is committed or aborted",
    breaking: (sound) => ({
      list: async function* (prefix, options) {
        for await (const listing of sound.list(prefix, options)) if (listing.complete) yield listing;
      },
    }),
  },
  "a whole blob that is listed as a leftover": {
    noticedBy: "a blob is listed as complete while another one is written under its key",
    breaking: (sound) => {
      const begun = new Set<string>();
      return {
        open: (key, options) => {
          begun.add(key);
          return sound.open(key, options);
        },
        list: async function* (prefix, options) {
          for await (const listing of sound.list(prefix, options)) yield { ...listing, complete: !begun.has(listing.key) };
        },
      };
    },
  },
  "a first commit that wins": {
    noticedBy: "the last commit wins",
    breaking: writers((writer, sound, key) => ({ commit: async () => (await sound.stat(key)) ?? writer.commit() })),
  },
  "writers that share their bytes": {
    noticedBy: "their bytes never mix",
    breaking: (sound) => {
      const shared = new Map<string, BlobWriter>();
      return {
        open: async (key, options) => {
          const writer = shared.get(key) ?? (await sound.open(key, options));
          shared.set(key, writer);
          return writer;
        },
      };
    },
  },
};
