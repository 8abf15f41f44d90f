const firstBlockBytes = 65_536;
const blockBytes = 1_048_576;

/** Memory for the parts of one blob, used again and again: what is left to the collector stays for a while, and is many times as much. */
export class Blocks {
  readonly #free: Buffer[] = [];

  /** @param isFirst of its part: a small blob is to take up little */
  take(isFirst: boolean): Buffer {
    return isFirst ? Buffer.allocUnsafeSlow(firstBlockBytes) : (this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes));
  }

  /** Nobody may look at them any more. */
  giveBack(blocks: readonly Buffer[]): void {
    this.#free.push(...blocks.filter(({ length }) => length === blockBytes));
  }
}
