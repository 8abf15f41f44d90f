import type { BlobStore } from "../../../../ground/storage/files/blobs.js";
import type { FileTarget } from "./receiveFile.js";

/** Writes a file to a blob. */
export async function blobTarget(blobs: BlobStore, key: string): Promise<FileTarget> {
  const writer = await blobs.open(key, { contentType: "application/octet-stream" });
  return { write: (chunk) => writer.write(chunk), commit: () => writer.commit(), abort: () => writer.abort() };
}

/** Keeps a file in memory. */
export interface MemoryTarget extends FileTarget {
  /** The bytes of the text, starting at an offset. */
  read(from: number): AsyncIterable<Uint8Array>;
}

export function memoryTarget(): MemoryTarget {
  const chunks: Uint8Array[] = [];
  return {
    async write(chunk) {
      chunks.push(chunk);
    },
    commit: async () => undefined,
    async abort() {
      chunks.length = 0;
    },
    async *read(from) {
      let skip = from;
      for (const chunk of chunks) {
        if (skip < chunk.length) yield chunk.subarray(skip);
        skip = Math.max(0, skip - chunk.length);
      }
    },
  };
}
