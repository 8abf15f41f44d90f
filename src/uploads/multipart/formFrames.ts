import { malformed } from "./malformed.js";

/** What the raw bytes of a form are made of. */
export type FormFrame =
  /** The header lines of a part, without the last line break. A part begins, and the one before it has ended. */
  | { readonly kind: "head"; readonly bytes: Buffer }
  /** A piece of the part's content. */
  | { readonly kind: "content"; readonly bytes: Buffer }
  /** The last part has ended. */
  | { readonly kind: "close" };

const carriageReturn = 0x0d;
const lineBreak = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const nothing = Buffer.alloc(0);
/** CR, LF, space and tab. */
const afterClosing: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x20, 0x09]);
/** Node's own limit for the headers of a request. */
const headBytes = 16_384;

/**
 * Finds the boundary lines in the raw bytes of a form, and what is between them. Nothing of the content is copied or held back but what may be the beginning of
 * a boundary line.
 *
 * Stricter than the RFC, so that every parser sees the same parts: nothing but a line break may follow a boundary, line breaks are CRLF, and no boundary line may
 * follow the closing one. A preamble and an epilogue are skipped.
 *
 * @see RFC 2046 §5.1.1
 */
export class FormFrames {
  readonly #delimiter: Buffer;
  #state: "preamble" | "boundary" | "head" | "content" | "closing" | "epilogue" = "preamble";
  /** As if a line had ended before the body. */
  #held: Buffer = lineBreak;
  #isContentNew = false;
  #hasPreamble = false;
  #part = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Where the form has come to, for messages. */
  get place(): string {
    return `Part ${this.#part} of the form`;
  }

  /** @throws {ProblemError} MALFORMED_MULTIPART */
  *add(chunk: Uint8Array): Generator<FormFrame, void, undefined> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = nothing;
    while (rest.length > 0) rest = yield* this.#read(rest);
  }

  /** @throws {ProblemError} MALFORMED_MULTIPART where the closing boundary has not come */
  end(): void {
    if (this.#state === "preamble") throw malformed("The boundary of the Content-Type begins no line of the body.");
    if (this.#state === "closing" || this.#state === "epilogue") return;
    throw malformed(this.#part === 0 ? "The form ends in its first boundary." : `${this.place} does not end: the closing boundary is missing.`);
  }

  /** @returns what is still to be read; nothing where more bytes are needed */
  *#read(bytes: Buffer): Generator<FormFrame, Buffer, undefined> {
    switch (this.#state) {
      case "boundary":
        return yield* this.#readBoundary(bytes);
      case "head":
        return yield* this.#readHead(bytes);
      case "closing":
        if (!afterClosing.has(bytes[0] ?? 0)) throw malformed("The closing boundary of the form is not the end of its line.");
        this.#state = "epilogue";
        return bytes;
      default:
        return yield* this.#readUpToBoundary(bytes);
    }
  }

  *#readUpToBoundary(bytes: Buffer): Generator<FormFrame, Buffer, undefined> {
    const at = bytes.indexOf(this.#delimiter);
    const end = at === -1 ? bytes.length - this.#unfinished(bytes) : at;
    // The line break that ends the head may belong to the boundary of an empty part: so it is still here.
    const start = this.#isContentNew ? lineBreak.length : 0;
    if (this.#state === "content" && end > start) yield { kind: "content", bytes: bytes.subarray(start, end) };
    if (end > 0 || at === 0) this.#isContentNew = false;
    this.#hasPreamble ||= this.#state === "preamble" && end > 0;
    if (at === -1) {
      this.#held = bytes.subarray(end);
      return nothing;
    }
    if (this.#state === "epilogue") throw malformed("There is another boundary behind the closing one.");
    this.#state = "boundary";
    return bytes.subarray(at + this.#delimiter.length);
  }

  /** How many bytes at the end may be the beginning of a boundary line. */
  #unfinished(bytes: Buffer): number {
    const last = bytes.subarray(Math.max(0, bytes.length - this.#delimiter.length + 1));
    const at = last.lastIndexOf(carriageReturn);
    const length = at === -1 ? 0 : last.length - at;
    return last.subarray(last.length - length).equals(this.#delimiter.subarray(0, length)) ? length : 0;
  }

  *#readBoundary(bytes: Buffer): Generator<FormFrame, Buffer, undefined> {
    if (bytes.length < 2) return this.#hold(bytes);
    const next = bytes.toString("latin1", 0, 2);
    if (next === "--") {
      // A form without fields is its closing boundary. Whatever stands before it is more likely a form that was damaged.
      if (this.#part === 0 && this.#hasPreamble) throw malformed("The form has no parts but something before its closing boundary.");
      this.#state = "closing";
      yield { kind: "close" };
      return bytes.subarray(2);
    }
    this.#part += 1;
    if (next !== "\r\n") throw malformed(`${this.place}: something other than a line break (CRLF) follows the boundary before it.`);
    this.#state = "head";
    return bytes;
  }

  *#readHead(bytes: Buffer): Generator<FormFrame, Buffer, undefined> {
    const end = bytes.indexOf(headEnd);
    const boundary = bytes.indexOf(this.#delimiter);
    if (boundary !== -1 && (end === -1 || boundary < end)) throw malformed(`${this.place} ends in its headers.`);
    if ((end === -1 ? bytes.length : end) - lineBreak.length > headBytes)
      throw malformed(`${this.place}: its headers are larger than ${headBytes} bytes.`);
    if (end === -1) return this.#hold(bytes);
    yield { kind: "head", bytes: bytes.subarray(lineBreak.length, Math.max(end, lineBreak.length)) };
    this.#state = "content";
    this.#isContentNew = true;
    return bytes.subarray(end + lineBreak.length);
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes;
    return nothing;
  }
}
