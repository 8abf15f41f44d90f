import type { BlobDrafts, Draft } from "../../../../src/ground/storage/files/blobs.js";
import { type Breaking, drafts, putAtOnce, resumingWith } from "./brokenBlobs.js";

/** The newest draft of each key, as it was flushed. */
function remembering(sound: BlobDrafts): { readonly newest: Map<string, Draft>; readonly resume: BlobDrafts["resume"] } {
  const newest = new Map<string, Draft>();
  const resume = resumingWith(sound, (writer, key) => ({
    flush: async () => {
      const draft = await writer.flush();
      newest.set(key, draft);
      return draft;
    },
  }));
  return { newest, resume };
}

async function joined(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) all.push(chunk);
  return Buffer.concat(all);
}

/** Stores that break one promise about drafts each, and the check that has to notice. */
export const draftDefects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a draft that keeps what was not flushed": {
    noticedBy: "bytes that were not flushed before close are not part of the draft",
    breaking: drafts((sound) => {
      const closed = new Map<string, Draft>();
      return {
        resume: resumingWith(sound, (writer, key) => ({
          close: async () => {
            closed.set(key, await writer.flush());
            return writer.close();
          },
        })),
        complete: (key, draft) => sound.complete(key, closed.get(key) ?? draft),
      };
    }),
  },
  "a takeover that is none": {
    noticedBy: "a writer that takes over a draft has its own bytes, whatever the first writer writes",
    breaking: drafts((sound) => ({ resume: (key, draft) => sound.resume(key, draft) })),
  },
  "a takeover that late comers write into": {
    noticedBy: "the first writer that returns late with its old draft changes nothing",
    breaking: drafts((sound) => {
      const { newest, resume } = remembering(sound);
      return { resume: (key, draft, options) => resume(key, { state: newest.get(key)?.state ?? draft.state, size: draft.size }, options) };
    }),
  },
  "a takeover that ends the draft at once": {
    noticedBy: "a takeover without a flush leaves the draft unchanged",
    breaking: drafts((sound) => {
      const ended = new Set<string>();
      return {
        resume: async (key, draft, options) => {
          if (ended.has(draft.state)) return undefined;
          if (options?.isContested) ended.add(draft.state);
          return sound.resume(key, draft, options);
        },
      };
    }),
  },
  "a takeover that ends the draft when it flushes": {
    noticedBy: "the draft before a takeover stays valid until the draft after it is resumed",
    breaking: drafts((sound) => {
      const { newest, resume } = remembering(sound);
      return { resume: async (key, draft, options) => ((newest.get(key) ?? draft).state === draft.state ? resume(key, draft, options) : undefined) };
    }),
  },
  "a draft that is completed only once": {
    noticedBy: "completing a draft again returns the same result",
    breaking: drafts((sound) => ({
      complete: async (key, draft) => ((await sound.read(key, draft)) === undefined ? undefined : sound.complete(key, draft)),
    })),
  },
  "another tag whenever a draft is completed": {
    noticedBy: "completing a draft again returns the same result",
    breaking: drafts((sound) => {
      let count = 0;
      return {
        complete: async (key, draft) => {
          const stat = await sound.complete(key, draft);
          count += 1;
          return stat && { ...stat, etag: `${stat.etag}-${count}` };
        },
      };
    }),
  },
  "a completion that leaves other drafts": {
    noticedBy: "completing a draft deletes everything else that was begun under its key, and nothing else",
    breaking: drafts((sound, store) => ({
      complete: async (key, draft) => {
        const bytes = await sound.read(key, draft);
        if (bytes !== undefined) await putAtOnce(store, key, await joined(bytes));
        return store.stat(key);
      },
    })),
  },
  "a draft that goes on behind the newest": {
    noticedBy: "bytes after the given draft are dropped when it is resumed",
    breaking: drafts((sound) => {
      const { newest, resume } = remembering(sound);
      return { resume: (key, draft, options) => resume(key, newest.get(key) ?? draft, options) };
    }),
  },
  "a flush that ends the draft before": {
    noticedBy: "the draft before a flush stays valid with its own bytes",
    breaking: drafts((sound) => {
      const { newest, resume } = remembering(sound);
      return { resume, complete: async (key, draft) => ((newest.get(key) ?? draft).size === draft.size ? sound.complete(key, draft) : undefined) };
    }),
  },
  "a type of a draft that is forgotten": {
    noticedBy: "the content type of a draft is stored unchanged, and stays absent if not given",
    breaking: drafts((sound) => ({ begin: (key) => sound.begin(key) })),
  },
  "bytes that are seen when they are flushed": {
    noticedBy: "a draft is not visible as a blob before it is completed",
    breaking: drafts((sound, store) => ({
      resume: resumingWith(sound, (writer, key) => ({
        flush: async () => {
          await putAtOnce(store, key, Buffer.from("flushed"));
          return writer.flush();
        },
      })),
    })),
  },
  "a state without measure": {
    noticedBy: "a draft that is resumed many times becomes a blob with all bytes",
    breaking: drafts((sound) => ({
      begin: async (key) => ({ ...(await sound.begin(key)), state: "x".repeat(1_048_577) }),
    })),
  },
  "a chunk that is lost at the end of a part": {
    noticedBy: "20 MiB of random bytes",
    breaking: drafts((sound) => ({
      resume: resumingWith(sound, (writer) => ({ write: async (chunk) => (chunk.length === 4_099 ? undefined : writer.write(chunk)) })),
    })),
  },
  "a writer of a draft that goes on after its end": {
    noticedBy: "a closed writer rejects further writes, and a second close does nothing",
    breaking: drafts((sound) => ({ resume: resumingWith(sound, () => ({ close: async () => ({ isContested: false }) })) })),
  },
  "a draft that is read to the end of what there is": {
    noticedBy: "a draft can be read before it is completed, exactly up to its size",
    breaking: drafts((sound) => {
      const { newest, resume } = remembering(sound);
      return { resume, read: (key, draft, range) => sound.read(key, newest.get(key) ?? draft, range) };
    }),
  },
  "one chunk for all of a draft": {
    noticedBy: "reading a draft returns chunks of a reasonable size",
    breaking: drafts((sound) => ({
      read: async (key, draft, range) => {
        const bytes = await joined(await sound.read(key, draft, range));
        return (async function* () {
          yield bytes;
        })();
      },
    })),
  },
  "a delete that spares drafts": {
    noticedBy: "a deleted draft is gone, and its key can be reused",
    breaking: (sound) => ({ delete: async (key) => ((await sound.stat(key)) === undefined ? false : sound.delete(key)) }),
  },
  "a listing without drafts": {
    noticedBy: "a draft is listed as incomplete with its write time until it is completed",
    breaking: (sound) => ({
      list: async function* (prefix, options) {
        for await (const listing of sound.list(prefix, options)) if (listing.complete) yield listing;
      },
    }),
  },
};
