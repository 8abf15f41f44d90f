import { createHash } from "node:crypto";
import type { BufferPool } from "./bufferPool.js";
import type { Payload } from "./call/api.js";

/** A complete part. */
export interface Part extends Payload {
  /** Releases its memory for the next part. */
  release(): void;
}

/**
 * Collects the bytes of a part. Chunks are copied, because they may keep larger buffers alive. Bytes are hashed as they arrive, so that no call hashes many.
 */
export class PartBuffer {
  readonly #limit: number;
  readonly #memory: BufferPool;
  readonly #hash = createHash("sha256");
  readonly #blocks: Buffer[] = [];
  /** The used length of the last block. */
  #usedBytes = 0;
  #length = 0;

  /** @param limit in bytes */
  constructor(limit: number, memory: BufferPool) {
    this.#limit = limit;
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes as many bytes as fit. @returns their number */
  take(chunk: Uint8Array): number {
    const wanted = chunk.subarray(0, this.#limit - this.#length);
    this.#hash.update(wanted);
    for (let rest = wanted; rest.length > 0; ) rest = rest.subarray(this.#copy(rest));
    return wanted.length;
  }

  /** All bytes so far. More may be added after they have been sent. */
  peek(): Payload {
    return { chunks: this.#chunks(), length: this.#length, sha256: this.#hash.copy().digest("hex") };
  }

  /** All bytes. The buffer must not be used afterwards. */
  finish(): Part {
    return { chunks: this.#chunks(), length: this.#length, sha256: this.#hash.digest("hex"), release: () => this.#memory.giveBack(this.#blocks) };
  }

  #chunks(): readonly Buffer[] {
    return this.#blocks.map((block, index) => (index === this.#blocks.length - 1 ? block.subarray(0, this.#usedBytes) : block));
  }

  #copy(bytes: Uint8Array): number {
    const block = this.#blockWithRoom();
    const copied = Math.min(bytes.length, block.length - this.#usedBytes);
    block.set(bytes.subarray(0, copied), this.#usedBytes);
    this.#usedBytes += copied;
    this.#length += copied;
    return copied;
  }

  #blockWithRoom(): Buffer {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#usedBytes < last.length) return last;
    const block = this.#memory.take(last === undefined);
    this.#blocks.push(block);
    this.#usedBytes = 0;
    return block;
  }
}
