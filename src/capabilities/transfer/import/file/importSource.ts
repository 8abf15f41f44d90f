import { ProblemError } from "../../../../ground/problem/index.js";
import { sealedLength, sealedPart } from "../../../../ground/secrets/sealedChunks.js";
import { SecretBoxError } from "../../../../ground/secrets/secretBoxError.js";
import type { BlobStore, ByteRange } from "../../../../ground/storage/files/blobs.js";
import { unreadableJob } from "../../../jobs/submit/sealedRequest.js";
import { blobsOf } from "../../blobs.js";
import type { ChunkSize } from "../../formats/rowChunks.js";
import type { Position, RowChunk } from "../../rows.js";
import type { ImportPlan } from "../request/importPlan.js";
import { fileRows } from "./fileRows.js";
import type { ImportFile } from "./importFile.js";
import { openDataKey } from "./sealedTarget.js";

/** The stored file of an import. */
export class ImportSource {
  readonly #plan: ImportPlan;
  readonly #file: ImportFile;
  readonly #signal: AbortSignal;

  /** @param signal aborts reading between two chunks */
  constructor(plan: ImportPlan, file: ImportFile, signal: AbortSignal) {
    this.#plan = plan;
    this.#file = file;
    this.#signal = signal;
  }

  /** @throws {ProblemError} SOURCE_CHANGED if the file is missing or is another one */
  async requireUnchanged(): Promise<void> {
    const { blob, bytes } = this.#file;
    const stat = blob && (await this.#blobs().stat(blob.key));
    if (stat === undefined) throw gone();
    const size = blob?.dataKey === undefined ? bytes : sealedLength(bytes);
    if (stat.size !== size || stat.etag !== blob?.etag) throw changed();
  }

  /**
   * Reads the rows.
   *
   * @param from start position; `undefined` for the first row
   * @param chunkRows rows per chunk, if not the default; a function is asked at each row
   */
  async *rows(from: Position | undefined, chunkRows?: ChunkSize["chunkRows"]): AsyncGenerator<RowChunk, void, undefined> {
    const { settings, context } = this.#plan;
    const { delimiter, offset } = settings;
    const { limits } = context.environment;
    const read = (start: number) => this.#read({ start, end: this.#file.bytes });
    for await (const chunk of fileRows(this.#file, from, { delimiter, offset, chunkRows, limits, read })) {
      this.#signal.throwIfAborted();
      yield chunk;
    }
  }

  /** Removes the file. If that fails, the sweep removes it later. */
  async remove(): Promise<void> {
    const { logger } = this.#plan.context.environment;
    const { blob } = this.#file;
    try {
      if (blob !== undefined) await this.#blobs().delete(blob.key);
    } catch (error) {
      logger.warn({ err: error, file: blob?.key }, "The file of an import could not be removed; the sweep will remove it.");
    }
  }

  async #read(range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const { blob, bytes } = this.#file;
    if (blob === undefined) throw gone();
    const part = blob.dataKey === undefined ? undefined : sealedPart(this.#dataKey(blob.dataKey, blob.key), bytes, range);
    const found = await this.#blobs().read(blob.key, part?.range ?? range);
    if (found === undefined) throw gone();
    return part === undefined ? found : this.#opened(part.open(found));
  }

  async *#opened(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* chunks;
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error;
      this.#logUnreadable(error);
      throw changed(error);
    }
  }

  #dataKey(dataKey: string, key: string): Uint8Array {
    try {
      return openDataKey(dataKey, key, this.#plan.context.environment.secrets);
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error;
      this.#logUnreadable(error);
      throw unreadableJob(error);
    }
  }

  #logUnreadable(error: SecretBoxError): void {
    const { logger } = this.#plan.context.environment;
    logger.error({ err: error, file: this.#file.blob?.key }, "The sealed file of an import cannot be opened, so the import fails.");
  }

  #blobs(): BlobStore {
    const blobs = blobsOf(this.#plan.context.environment);
    if (blobs === undefined) throw new Error("The job of an import runs, but transfer() has no blobs.");
    return blobs;
  }
}

function changed(cause?: unknown): ProblemError {
  return new ProblemError("SOURCE_CHANGED", "The file of the import is not the one with which it began.", { cause });
}

function gone(): ProblemError {
  return new ProblemError("SOURCE_CHANGED", "The file of the import no longer exists.");
}
