/** Numbers and texts at offsets of a file. Beyond the end they are `NaN`, or shorter texts: nothing throws, and comparisons with `NaN` are false. */
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

  /** Little-endian, like the next ones. */
  uint16Little(at: number): number {
    return this.#has(at, 2) ? this.buffer.readUInt16LE(at) : Number.NaN;
  }

  uint24Little(at: number): number {
    return this.#has(at, 3) ? this.buffer.readUIntLE(at, 3) : Number.NaN;
  }

  uint32Little(at: number): number {
    return this.#has(at, 4) ? this.buffer.readUInt32LE(at) : Number.NaN;
  }

  /** Latin-1 text: one character per byte. */
  latin1(start: number, end: number): string {
    return this.buffer.toString("latin1", start, end);
  }

  #has(at: number, length: number): boolean {
    return Number.isInteger(at) && at >= 0 && at + length <= this.buffer.length;
  }
}
