const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts the lines of a UTF-8 text that arrives in parts; CRLF, LF and CR end a line. */
export class LineCounter {
  /** Line of the next byte; the first is 1. */
  line = 1;
  #last = 0;

  add(bytes: Uint8Array): void {
    let last = this.#last;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === carriageReturn || (byte === lineFeed && last !== carriageReturn)) this.line += 1;
      last = byte;
    }
    this.#last = last;
  }
}
