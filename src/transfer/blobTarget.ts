import type { BlobStore } from "../storage/blobs.js";
import type { FileTarget } from "./receiveFile.js";

/** A file that goes into a blob. */
export async function blobTarget(blobs: BlobStore, key: string): Promise<FileTarget> {
  const writer = await blobs.open(key, { contentType: "application/octet-stream" });
  return { write: (chunk) => writer.write(chunk), commit: () => writer.commit(), abort: () => writer.abort() };
}

/** A file that stays in memory. */
export interface MemoryTarget extends FileTarget {
  /** The text from a byte on. */
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
      let behind = from;
      for (const chunk of chunks) {
        if (behind < chunk.length) yield chunk.subarray(behind);
        behind = Math.max(0, behind - chunk.length);
      }
    },
  };
}
