/** Numbers and texts at places of a file. What is not there is `NaN`, or a shorter text: nothing throws, and no comparison with it holds. */
export class ByteView {
  readonly buffer: Buffer;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get length(): number {
    return this.buffer.length;
  }

  uint8(at: number): number {
    return this.buffer[at] ?? Number.NaN;
  }

  uint16(at: number): number {
    return this.#has(at, 2) ? this.buffer.readUInt16BE(at) : Number.NaN;
  }

  uint32(at: number): number {
    return this.#has(at, 4) ? this.buffer.readUInt32BE(at) : Number.NaN;
  }

  /** With the lowest byte first, as the next ones. */
  uint16Little(at: number): number {
    return this.#has(at, 2) ? this.buffer.readUInt16LE(at) : Number.NaN;
  }

  uint24Little(at: number): number {
    return this.#has(at, 3) ? this.buffer.readUIntLE(at, 3) : Number.NaN;
  }

  uint32Little(at: number): number {
    return this.#has(at, 4) ? this.buffer.readUInt32LE(at) : Number.NaN;
  }

  /** A text of one character a byte. */
  latin1(start: number, end: number): string {
    return this.buffer.toString("latin1", start, end);
  }

  #has(at: number, length: number): boolean {
    return Number.isInteger(at) && at >= 0 && at + length <= this.buffer.length;
  }
}
