import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { BlobStore } from "../storage/blobs.js";
import type { ExportFile } from "./exportFile.js";

export interface WriteFileOptions {
  readonly contentType: string;
  readonly gzip: boolean;
  /** Ends the writing with its reason. */
  readonly signal: AbortSignal;
}

/** Writes text as a blob: whole, or nothing is left of it. */
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
    // What cannot be cleared away now is found by the sweep.
    await writer.abort().catch(() => undefined);
    throw error;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of text) if (piece !== "") yield Buffer.from(piece);
}

/** Waits for the source to be released: it holds a connection. */
async function* compressed(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  const gzip = createGzip({ chunkSize: 65_536 });
  // A fault of the source arrives at the other end as well.
  const fed = pipeline(text, gzip).catch(() => undefined);
  try {
    yield* gzip as AsyncIterable<Uint8Array>;
  } finally {
    gzip.destroy();
    await fed;
  }
}
