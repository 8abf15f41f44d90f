import { createHash } from "node:crypto";
import type { Payload } from "./api.js";
import type { Blocks } from "./blocks.js";

/** A part that is complete. */
export interface Part extends Payload {
  /** Makes its memory free for the next one. */
  release(): void;
}

/** Bytes on their way to become a part, copied: what chunks of others hold on to is not known. They are hashed as they come, never many at once. */
export class PartBuffer {
  readonly #limit: number;
  readonly #memory: Blocks;
  readonly #hash = createHash("sha256");
  readonly #blocks: Buffer[] = [];
  /** What of the last block is used. */
  #usedBytes = 0;
  #length = 0;

  /** @param limit in bytes */
  constructor(limit: number, memory: Blocks) {
    this.#limit = limit;
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes what there is room for. @returns how much that was, in bytes */
  take(chunk: Uint8Array): number {
    const wanted = chunk.subarray(0, this.#limit - this.#length);
    this.#hash.update(wanted);
    for (let rest = wanted; rest.length > 0; ) rest = rest.subarray(this.#copy(rest));
    return wanted.length;
  }

  /** All that was taken up to now. More may be taken when it has been sent. */
  peek(): Payload {
    return { chunks: this.#chunks(), length: this.#length, sha256: this.#hash.copy().digest("hex") };
  }

  /** All that was taken. The buffer is of no use afterwards. */
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
