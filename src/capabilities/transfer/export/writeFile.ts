import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { BlobStore } from "../../../ground/storage/files/blobs.js";
import type { ExportFile } from "./exportFile.js";

export interface WriteFileOptions {
  readonly contentType: string;
  readonly gzip: boolean;
  /** Aborts the write with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Writes text as a blob. On an error the blob is not created. */
export async function writeFile(
  blobs: BlobStore,
  key: string,
  text: AsyncGenerator<string, void, void>,
  { contentType, gzip, signal }: WriteFileOptions,
): Promise<Pick<ExportFile, "bytes" | "sha256">> {
  const writer = await blobs.open(key, { contentType });
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of gzip ? compressed(text) : encoded(text)) {
      signal.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      await writer.write(chunk);
    }
    signal.throwIfAborted();
    await writer.commit();
  } catch (error) {
    // The sweep removes what remains if this fails.
    await writer.abort().catch(() => undefined);
    throw error;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of text) if (piece !== "") yield Buffer.from(piece);
}

/** Waits until the source is released, because it holds a database connection. */
async function* compressed(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  const gzip = createGzip({ chunkSize: 65_536 });
  // An error of the source is thrown by the loop over `gzip` too.
  const fed = pipeline(text, gzip).catch(() => undefined);
  try {
    yield* gzip as AsyncIterable<Uint8Array>;
  } finally {
    gzip.destroy();
    await fed;
  }
}
