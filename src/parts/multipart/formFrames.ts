import { unmarkOwn } from "../../ground/http/body/ownChunks.js";
import { malformed } from "./malformed.js";

/** An element of the raw bytes of a form. */
export type FormFrame =
  /** The header lines of a part, without the last line break. It begins a part and ends the previous one. */
  | { readonly kind: "head"; readonly bytes: Buffer }
  /** A piece of the part's content. */
  | { readonly kind: "content"; readonly bytes: Buffer }
  /** The last part has ended. */
  | { readonly kind: "close" };

const carriageReturn = 0x0d;
const lineBreak = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const nothing = Buffer.alloc(0);
const delimiterStart = Buffer.from("\r\n--");
/** In one chunk. */
const maxMisses = 16;
/** CR, LF, space and tab. */
const afterClosing: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x20, 0x09]);
/** Node's own limit for the headers of a request. */
const headBytes = 16_384;

/**
 * Splits the raw bytes of a form at its boundary lines. Content is not copied or held back, except bytes that may begin a boundary line.
 *
 * Stricter than the RFC, so that every parser sees the same parts: only white space and a line break may follow a boundary, line breaks are CRLF, and a boundary line must
 * not follow the closing one. A preamble and an epilogue are skipped.
 *
 * @see RFC 2046 §5.1.1
 */
export class FormFrames {
  readonly #delimiter: Buffer;
  #state: "preamble" | "boundary" | "padding" | "head" | "content" | "closing" | "epilogue" = "preamble";
  /** Initially a line break, because the first boundary may begin the body without one. */
  #held: Buffer = lineBreak;
  #isContentNew = false;
  #hasPreamble = false;
  #part = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** The current position in the form, for messages. */
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

  /** @throws {ProblemError} MALFORMED_MULTIPART if the closing boundary is missing */
  end(): void {
    if (this.#state === "preamble") throw malformed("The boundary of the Content-Type does not begin any line of the body.");
    if (this.#state === "closing" || this.#state === "epilogue") return;
    throw malformed(this.#part === 0 ? "The form ends in its first boundary." : `${this.place} does not end: the closing boundary is missing.`);
  }

  /** @returns the bytes that remain to be read; empty if more bytes are needed */
  *#read(bytes: Buffer): Generator<FormFrame, Buffer, undefined> {
    switch (this.#state) {
      case "boundary":
        return yield* this.#readBoundary(bytes);
      case "padding":
        return this.#readPadding(bytes);
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
    const at = this.#find(bytes);
    const end = at === -1 ? bytes.length - this.#unfinished(bytes) : at;
    // The line break that ends the head is kept, because it may belong to the boundary of an empty part.
    const start = this.#isContentNew ? lineBreak.length : 0;
    // What follows a boundary needs the memory of the chunk longer than the content before it.
    if (at !== -1) unmarkOwn(bytes);
    if (this.#state === "content" && end > start) yield { kind: "content", bytes: bytes.subarray(start, end) };
    if (end > 0 || at === 0) this.#isContentNew = false;
    this.#hasPreamble ||= this.#state === "preamble" && end > 0;
    if (at === -1) {
      // A copy, because the content before it may be released.
      this.#held = Buffer.from(bytes.subarray(end));
      return nothing;
    }
    if (this.#state === "epilogue") throw malformed("There is another boundary after the closing one.");
    this.#state = "boundary";
    return bytes.subarray(at + this.#delimiter.length);
  }

  /** The first delimiter, or -1. Looking for the four bytes that begin each delimiter costs a third of looking for all of it; content that is full of them is not searched that way. */
  #find(bytes: Buffer): number {
    let at = bytes.indexOf(delimiterStart);
    for (let misses = 0; at !== -1 && misses < maxMisses; misses++) {
      if (bytes.subarray(at, at + this.#delimiter.length).equals(this.#delimiter)) return at;
      at = bytes.indexOf(delimiterStart, at + 1);
    }
    return at === -1 ? -1 : bytes.indexOf(this.#delimiter, at);
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
      // An empty form consists of its closing boundary only. Bytes before it indicate a damaged form.
      if (this.#part === 0 && this.#hasPreamble) throw malformed("The form has no parts, but text before its closing boundary.");
      this.#state = "closing";
      yield { kind: "close" };
      return bytes.subarray(2);
    }
    this.#state = "padding";
    return bytes;
  }

  /** "If a boundary delimiter line appears to end with white space, the white space must be presumed to have been added by a gateway, and must be deleted." */
  #readPadding(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
    const rest = bytes.subarray(at);
    if (rest.length < lineBreak.length) return this.#hold(rest);
    this.#part += 1;
    if (!rest.subarray(0, lineBreak.length).equals(lineBreak))
      throw malformed(`${this.place}: the boundary before it is not followed by a line break (CRLF).`);
    this.#state = "head";
    return rest;
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
