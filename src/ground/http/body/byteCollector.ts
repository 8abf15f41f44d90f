/**
 * Collects chunks into one array.
 *
 * A list of chunks would cost some hundred bytes per chunk, and a client may send single bytes. A body of one chunk is not copied.
 */
export class ByteCollector {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#bytes = chunk;
    } else {
      this.#grow(this.#length + chunk.length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length += chunk.length;
  }

  /** All added bytes. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#length));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}
