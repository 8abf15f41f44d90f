type Chunk = IteratorResult<Uint8Array, undefined>;

const over: Promise<Chunk> = Promise.resolve({ done: true, value: undefined });

/** Queue for the content of one file, between the parser and the reader. */
export class FileBytes {
  readonly #more: () => Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  #isWhole = false;
  #isTaken = false;
  #isLeft = false;

  /** @param more resolves when some bytes of the form have been parsed; rejects when there will be no more */
  constructor(more: () => Promise<void>) {
    this.#more = more;
  }

  add(chunk: Uint8Array): void {
    if (!this.#isLeft) this.#chunks.push(chunk);
  }

  end(): void {
    this.#isWhole = true;
  }

  /** Drops unread bytes, and all bytes that are added later. */
  leave(): void {
    this.#isLeft ||= !this.#isWhole || this.#chunks.length > 0;
    this.#chunks.length = 0;
  }

  /** @throws {Error} for a second iteration, and for reading after bytes were dropped: dropped bytes must not look like the end of the file */
  iterate(): AsyncIterator<Uint8Array, undefined> {
    if (this.#isTaken) throw new Error("The bytes of a file can be iterated once.");
    this.#isTaken = true;
    return {
      next: () => this.#next(),
      return: () => {
        this.leave();
        return over;
      },
    };
  }

  /** Without an async generator, which makes several promises for a chunk. */
  #next(): Promise<Chunk> {
    if (this.#isLeft) return Promise.reject(new Error("The bytes of a file can be read until the next part is requested or the form is abandoned."));
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    return this.#isWhole ? over : this.#more().then(() => this.#next());
  }
}
