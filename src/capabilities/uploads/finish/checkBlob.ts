import { createHash } from "node:crypto";
import type { Timers } from "../../../ground/http/timers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { BlobStore, ByteRange } from "../../../ground/storage/files/blobs.js";
import type { FileCheck } from "../../../parts/checks/fileCheck.js";
import { imageSize } from "../../../parts/checks/images/imageSize.js";
import { headBytes, readCheckInput } from "../../../parts/checks/readCheckInput.js";
import { type AcceptedFile, type ChecksOutcome, runChecks } from "../../../parts/checks/runChecks.js";
import type { StoredFile } from "../records/upload.js";

/** Which checks run, and how long each may take. */
export interface CheckSettings {
  readonly checks: readonly FileCheck[];
  /** Timeout of one check, in milliseconds. */
  readonly checkMs: number;
  readonly timers: Timers;
}

/** A complete blob, and what its client announced about it. */
export interface NamedBlob {
  readonly key: string;
  readonly filename: string;
  readonly declaredType: string | undefined;
  /** In bytes. */
  readonly size: number;
}

/** The bytes of a blob. @throws {ProblemError} GONE if the blob is missing */
export async function blobBytes(blobs: BlobStore, key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await blobs.read(key, range);
  if (bytes === undefined) throw new ProblemError("GONE", "The file was deleted while it was checked.");
  return bytes;
}

/** Runs all checks on a blob. */
export async function checkBlob(blobs: BlobStore, { key, ...named }: NamedBlob, settings: CheckSettings): Promise<ChecksOutcome> {
  async function* read(range?: ByteRange) {
    yield* await blobBytes(blobs, key, range);
  }
  const input = await readCheckInput({ ...named, read });
  return runChecks(settings.checks, input, { timeoutMs: settings.checkMs, timers: settings.timers });
}

/**
 * Returns the stored file for a checked blob. If a check has rewritten the bytes, they are stored under another key, and the original blob stays.
 *
 * @param blob with the SHA-256 of its bytes in lower-case hex
 */
export async function keepBlob(
  blobs: BlobStore,
  { key, size, sha256 }: Pick<NamedBlob, "key" | "size"> & { readonly sha256: string },
  { detectedType, bytes }: Pick<AcceptedFile, "detectedType" | "bytes">,
): Promise<StoredFile> {
  const contentType = detectedType ?? "application/octet-stream";
  const head = bytes ?? (await headOf(blobs, key));
  const pixels = contentType.startsWith("image/") ? imageSize(head) : undefined;
  const image = pixels && { width: pixels.width, height: pixels.height };
  if (bytes === undefined) return { key, contentType, size, sha256, image };
  const hash = createHash("sha256").update(bytes).digest("hex");
  // The key contains the hash, because another attempt may have stored different bytes.
  const rewritten = `${key}_${hash.slice(0, 16)}`;
  const writer = await blobs.open(rewritten, { contentType, size: bytes.length });
  try {
    await writer.write(bytes);
    const { size: written } = await writer.commit();
    return { key: rewritten, contentType, size: written, sha256: hash, image };
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
}

async function headOf(blobs: BlobStore, key: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await blobBytes(blobs, key, { start: 0, end: headBytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
