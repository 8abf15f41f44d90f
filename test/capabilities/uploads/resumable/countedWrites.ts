import type { BlobStore } from "restwright";

/** A blob store that counts the bytes that its drafts have been given, so that a test can wait until a body has arrived. */
export function withCountedWrites(blobs: BlobStore): { readonly blobs: BlobStore; readonly writtenBytes: () => number } {
  const { drafts } = blobs;
  if (drafts === undefined) throw new Error("The store has no drafts.");
  let bytes = 0;
  const counted: typeof drafts = {
    ...drafts,
    async resume(...given) {
      const writer = await drafts.resume(...given);
      if (writer === undefined) return undefined;
      const write = async (chunk: Uint8Array) => {
        // The store owns the chunk from here on.
        const { length } = chunk;
        await writer.write(chunk);
        bytes += length;
      };
      return { write, flush: () => writer.flush(), handOver: writer.handOver?.bind(writer), close: () => writer.close() };
    },
  };
  return { blobs: { ...blobs, drafts: counted }, writtenBytes: () => bytes };
}
