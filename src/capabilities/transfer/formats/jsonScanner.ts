const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const backslash = 0x5c;
/** `[` and `{` differ in this bit only. */
const braceBit = 0x20;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const capitalE = 0x45;
const smallE = 0x65;
const smallU = 0x75;

/** The token that is expected next, unless it is a closing bracket. */
type Expected = "value" | "name" | "colon" | "comma";

/**
 * Validates JSON byte by byte without parsing it into values. It can pause between two tokens and within a string, so that a large text can be scanned in
 * parts, and it counts values and depth.
 *
 * @see RFC 8259 §2
 */
export class JsonScanner {
  /** Index of the next byte; after a fault, of the invalid byte, or the length of the bytes if the text ends too early. */
  at = 0;
  /** Line of the next byte; the first is 1. */
  line = 1;
  /** Number of values scanned so far in the current value, itself included. */
  values = 0;
  /** Depth of nested arrays and objects in the current value so far; a scalar has depth 0. */
  depth = 0;
  readonly #bytes: Uint8Array;
  #expected: Expected = "value";
  /** Whether the innermost open bracket may be closed next. */
  #mayClose = false;
  /** Whether the next byte is within a string. */
  #isString = false;
  /** The expected closing brackets. An explicit stack, because a client may nest deeper than the call stack allows. */
  readonly #owed: Uint8Array;
  #open = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    // A text cannot open more brackets than it has bytes. The system allocates memory only for the pages that are written.
    this.#owed = new Uint8Array(bytes.length);
  }

  /**
   * Scans the rest of the value until it ends or `stop` is reached. Does not skip white space after the value; the next call begins with the next value.
   *
   * @returns `true` when the value has ended, `false` if the byte at `at` is invalid, `undefined` at the stop
   */
  scan(stop: number): boolean | undefined {
    while (this.at < stop) {
      if (!this.#isString) {
        this.skipSpace();
        if (!this.#token()) return false;
      }
      if (this.#isString && !this.#restOfString(stop)) return false;
      if (this.#open === 0 && !this.#isString) {
        this.#expected = "value";
        this.#mayClose = false;
        return true;
      }
    }
    return this.at < this.#bytes.length ? undefined : false;
  }

  /** Skips this byte if it is the next one; returns whether it was. */
  take(byte: number): boolean {
    if (this.#bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  skipSpace(): void {
    for (; ; this.at++) {
      const byte = this.#bytes[this.at];
      if (byte === lineFeed) this.line += 1;
      else if (byte !== space && byte !== carriageReturn && byte !== tab) return;
    }
  }

  #token(): boolean {
    const byte = this.#bytes[this.at] ?? 0;
    const owed = this.#owed[this.#open - 1];
    this.#mayClose &&= byte === owed;
    if (this.#mayClose) {
      this.#open -= 1;
      this.#expected = "comma";
      return this.take(byte);
    }
    switch (this.#expected) {
      case "comma":
        this.#expected = owed === closingBrace ? "name" : "value";
        return this.take(comma);
      case "name":
        this.#expected = "colon";
        return this.#string();
      case "colon":
        this.#expected = "value";
        return this.take(colon);
      case "value":
        if (this.#open === 0) this.values = this.depth = 0;
        this.values += 1;
        this.#mayClose = true;
        if ((byte | braceBit) === openingBrace) return this.#enter(byte);
        this.#expected = "comma";
        return this.#scalar(byte);
    }
  }

  #enter(opening: number): boolean {
    // In ASCII the code of a closing bracket is that of the opening one plus 2.
    this.#owed[this.#open++] = opening + 2;
    this.depth = Math.max(this.depth, this.#open);
    this.#expected = opening === openingBrace ? "name" : "value";
    return this.take(opening);
  }

  #scalar(byte: number): boolean {
    if (byte === quote) return this.#string();
    const word = words[byte];
    return word === undefined ? this.#number() : this.#word(word);
  }

  #string(): boolean {
    this.#isString = true;
    return this.take(quote);
  }

  /** Scans a string to its end or to `stop`; an escape sequence is scanned as a whole. */
  #restOfString(stop: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(stop, bytes.length);
    let at = this.at;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote || byte < space) break;
      if (byte !== backslash) continue;
      at += 1;
      if (isOneOf(escapable, bytes[at])) continue;
      this.at = at;
      if (!this.#codePoint()) return false;
      at += 4;
    }
    this.at = at;
    this.#isString = at >= end;
    return this.#isString ? at < bytes.length : this.take(quote);
  }

  #codePoint(): boolean {
    if (!this.take(smallU)) return false;
    for (const end = this.at + 4; this.at < end; this.at++) {
      if (!isOneOf(hexDigits, this.#bytes[this.at])) return false;
    }
    return true;
  }

  #number(): boolean {
    this.take(minus);
    if (!this.take(zero) && !this.#digits()) return false;
    if (this.take(point) && !this.#digits()) return false;
    if (!this.take(smallE) && !this.take(capitalE)) return true;
    if (!this.take(plus)) this.take(minus);
    return this.#digits();
  }

  #digits(): boolean {
    const start = this.at;
    while (isOneOf(digits, this.#bytes[this.at])) this.at += 1;
    return this.at > start;
  }

  #word(word: string): boolean {
    return [...word].every((character) => this.take(character.charCodeAt(0)));
  }
}

const escapable = '"\\/bfnrt';
const digits = "0123456789";
const hexDigits = `${digits}abcdefABCDEF`;

function isOneOf(characters: string, byte = 0): boolean {
  return characters.includes(String.fromCharCode(byte));
}

const words: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" };
