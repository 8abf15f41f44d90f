import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

const pieceBytes = 65_536;

/** A file that tus-js-client reads no faster than a line would take it; what has been read is known to the byte. */
export class PacedFile {
  readonly size: number;
  readonly #bytes: Buffer;
  readonly #bytesPerSecond: number;
  readonly #onRead: (position: number) => void;

  /** @param onRead is told of each piece by its end, before it is sent */
  constructor(bytes: Buffer, bytesPerSecond: number, onRead: (position: number) => void) {
    this.size = bytes.length;
    this.#bytes = bytes;
    this.#bytesPerSecond = bytesPerSecond;
    this.#onRead = onRead;
  }

  /** For the client's option of this name; the file that it is given besides is not looked at. */
  get fileReader() {
    return { openFile: async () => this };
  }

  async slice(start: number, end: number) {
    const until = Math.min(end, this.size);
    const value = Object.assign(Readable.from(this.#pieces(start, until), { objectMode: false }), { size: until - start });
    return { value, done: until === this.size };
  }

  close(): void {}

  async *#pieces(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    const begunMs = performance.now();
    for (let at = start; at < end; at += pieceBytes) {
      const aheadMs = ((at - start) / this.#bytesPerSecond) * 1_000 - (performance.now() - begunMs);
      if (aheadMs > 5) await sleep(aheadMs);
      const piece = this.#bytes.subarray(at, Math.min(at + pieceBytes, end));
      this.#onRead(at + piece.length);
      yield piece;
    }
  }
}
