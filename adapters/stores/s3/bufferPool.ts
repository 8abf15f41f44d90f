const firstBlockBytes = 65_536;
const blockBytes = 1_048_576;

/** Reuses the memory of the parts of one blob: memory that is left to the garbage collector is freed later, and adds up to many times as much. */
export class BufferPool {
  readonly #free: Buffer[] = [];

  /** @param isFirst whether it is the first block of its part: a small blob must use little memory */
  take(isFirst: boolean): Buffer {
    return isFirst ? Buffer.allocUnsafeSlow(firstBlockBytes) : (this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes));
  }

  /** The caller must not read the blocks afterwards. */
  giveBack(blocks: readonly Buffer[]): void {
    this.#free.push(...blocks.filter(({ length }) => length === blockBytes));
  }
}
