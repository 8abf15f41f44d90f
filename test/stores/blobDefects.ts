import type { BlobWriter } from "../../src/storage/blobs.js";
import { type Breaking, chunks, putAtOnce, reopening, writers } from "./brokenBlobs.js";

/** Stores that break one promise each, and the check that has to notice. */
export const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a type that is forgotten": {
    noticedBy: "says what it is",
    breaking: (sound) => ({ open: (key) => sound.open(key) }),
  },
  "a type that is cut off": {
    noticedBy: "however long",
    breaking: (sound) => ({ open: (key, options) => sound.open(key, { contentType: options?.contentType?.slice(0, 255) }) }),
  },
  "a commit that answers something else than stat": {
    noticedBy: "says what it is",
    breaking: writers((writer) => ({ commit: async () => ({ ...(await writer.commit()), etag: "other" }) })),
  },
  "bytes that are seen before the commit": {
    noticedBy: "nothing of a blob is seen before it is committed",
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
  "an abort that leaves the part": {
    noticedBy: "a blob that is aborted leaves nothing",
    breaking: writers(() => ({ abort: async () => {} })),
  },
  "an abort that commits": {
    noticedBy: "a blob that is aborted leaves nothing",
    breaking: writers((writer) => ({ abort: async () => void (await writer.commit().catch(() => {})) })),
  },
  "an abort that removes what was committed": {
    noticedBy: "an abort after the commit does nothing",
    breaking: writers((_writer, sound, key) => ({ abort: async () => void (await sound.delete(key)) })),
  },
  "a writer that goes on after its end": {
    noticedBy: "a writer that has ended refuses more",
    breaking: writers((writer) => ({ write: (chunk) => writer.write(chunk).catch(() => {}) })),
  },
  "keys without case": {
    noticedBy: "keys that differ in case are two",
    breaking: (sound) => ({
      open: (key, options) => sound.open(key.toLowerCase(), options),
      read: (key, range) => sound.read(key.toLowerCase(), range),
    }),
  },
  "keys that are paths": {
    noticedBy: "a text that is no key is a TypeError",
    breaking: (sound) => ({ stat: async (key) => (key.includes("/") ? undefined : sound.stat(key)) }),
  },
  "the bytes that are kept handed to readers": {
    noticedBy: "what a reader does with its chunks",
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
    noticedBy: "chunks stay as they are while others come",
    breaking: chunks(async function* (read) {
      const buffer = Buffer.alloc(65_536);
      for await (const chunk of read) {
        buffer.set(chunk);
        yield buffer.subarray(0, chunk.length);
      }
    }),
  },
  "one chunk for all": {
    noticedBy: "bytes come in chunks of a sensible size",
    breaking: chunks(async function* (read) {
      const all: Uint8Array[] = [];
      for await (const chunk of read) all.push(chunk);
      yield Buffer.concat(all);
    }),
  },
  "ranges with their last byte": {
    noticedBy: "a range is these bytes and no others",
    breaking: (sound) => ({ read: (key, range) => sound.read(key, range && { ...range, end: range.end + 1 }) }),
  },
  "ranges that end behind the blob, refused": {
    noticedBy: "one behind the end is",
    breaking: (sound) => ({
      read: async (key, range) => {
        if (range !== undefined && range.start >= ((await sound.stat(key))?.size ?? 0)) throw new RangeError("There are no such bytes.");
        return sound.read(key, range);
      },
    }),
  },
  "a key that is written only once": {
    noticedBy: "a second commit takes the place of the first",
    breaking: writers((writer, sound, key) => ({ commit: async () => (await sound.stat(key)) ?? writer.commit() })),
  },
  "one tag for all bytes of a key": {
    noticedBy: "a second commit takes the place of the first",
    breaking: writers((writer, _sound, key) => ({ commit: async () => ({ ...(await writer.commit()), etag: key }) })),
  },
  "a blob that goes when another is begun": {
    noticedBy: "the first stays until the second is committed",
    breaking: (sound) => ({
      open: async (key, options) => {
        await sound.delete(key);
        return sound.open(key, options);
      },
    }),
  },
  "a reader who goes on in the second": {
    noticedBy: "gets nothing of the second",
    breaking: (sound) => ({ read: (key, range) => reopening(sound, key, range?.start ?? 0, range?.end ?? Number.MAX_SAFE_INTEGER) }),
  },
  "a reader who looks for the bytes when it begins": {
    noticedBy: "who has not begun to read has the first or an error",
    breaking: (sound) => ({ read: (key, range) => reopening(sound, key, range?.start ?? 0, range?.end ?? Number.MAX_SAFE_INTEGER) }),
  },
  "an early end where a blob is deleted": {
    noticedBy: "who is reading reads on or has an error, and gets no other bytes",
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
    noticedBy: "a blob is gone when it is deleted, and only it",
    breaking: (sound) => ({
      delete: async (key) => {
        let any = false;
        for await (const { key: one } of sound.list(key, { before: new Date(8.64e15) })) any = (await sound.delete(one)) || any;
        return any;
      },
    }),
  },
  "a delete that always says yes": {
    noticedBy: "a blob is gone when it is deleted",
    breaking: (sound) => ({ delete: async (key) => (await sound.delete(key)) || true }),
  },
  "a delete of whole blobs only": {
    noticedBy: "what is being written is deleted too",
    breaking: (sound) => ({ delete: async (key) => ((await sound.stat(key)) === undefined ? false : sound.delete(key)) }),
  },
  "a listing of everything": {
    noticedBy: "blobs whose keys begin so are listed",
    breaking: (sound) => ({ list: (_prefix, options) => sound.list("", options) }),
  },
  "a listing of all times": {
    noticedBy: "only what was written before is listed",
    breaking: (sound) => ({ list: (prefix) => sound.list(prefix, { before: new Date(8.64e15) }) }),
  },
  "a listing of whole blobs only": {
    noticedBy: "what was begun is listed as incomplete",
    breaking: (sound) => ({
      list: async function* (prefix, options) {
        for await (const listing of sound.list(prefix, options)) if (listing.complete) yield listing;
      },
    }),
  },
  "a whole blob that is listed as a leftover": {
    noticedBy: "a whole blob is listed as whole while another is written",
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
