/** A token of a PDF. The text of `string` and `comment` is not read. */
export type PdfTokenKind = "name" | "word" | "open" | "close" | "openArray" | "closeArray" | "string" | "comment" | "end";

export interface PdfToken {
  readonly kind: PdfTokenKind;
  /** The text of a name (without the slash and with `#xx` decoded) or of a word. */
  readonly text: string;
}

const white = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]);
const delimiters = new Set([..."()<>[]{}/%"].map((character) => character.charCodeAt(0)));
/** 0: part of a word, 1: white space, 2: delimiter. */
const classes = Uint8Array.from({ length: 256 }, (_, byte) => (white.has(byte) ? 1 : delimiters.has(byte) ? 2 : 0));
/** Relevant names and words are shorter. */
const maxTextBytes = 128;

/**
 * Reads a PDF token by token, also an invalid one; never throws.
 *
 * @see ISO 32000-2 §7.2
 */
export class PdfLexer {
  kind: PdfTokenKind = "end";
  text = "";
  /** Start of the token, and where the search for the next one begins. */
  start = 0;
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): PdfTokenKind {
    const bytes = this.#bytes;
    while (this.at < bytes.length && classes[bytes[this.at] ?? 0] === 1) this.at += 1;
    this.start = this.at;
    this.text = "";
    if (this.at >= bytes.length) return this.#is("end", 0);
    switch (bytes[this.at]) {
      case 0x2f:
        return this.#name();
      case 0x25:
        return this.#until("comment", this.#lineEnd());
      case 0x28:
        return this.#until("string", this.#stringEnd());
      case 0x3c:
        return bytes[this.at + 1] === 0x3c ? this.#is("open", 2) : this.#until("string", this.#after(0x3e));
      case 0x3e:
        return bytes[this.at + 1] === 0x3e ? this.#is("close", 2) : this.#is("word", 1);
      case 0x5b:
        return this.#is("openArray", 1);
      case 0x5d:
        return this.#is("closeArray", 1);
      default:
        return this.#word();
    }
  }

  #is(kind: PdfTokenKind, length: number): PdfTokenKind {
    this.at += length;
    this.kind = kind;
    return kind;
  }

  #until(kind: PdfTokenKind, end: number): PdfTokenKind {
    return this.#is(kind, end - this.at);
  }

  #word(): PdfTokenKind {
    const end = this.#wordEnd(this.at);
    // A delimiter that begins no token is a token itself.
    const kind = this.#until("word", Math.max(end, this.at + 1));
    this.text = this.#bytes.toString("latin1", this.start, Math.min(this.at, this.start + maxTextBytes));
    return kind;
  }

  #name(): PdfTokenKind {
    const kind = this.#until("name", this.#wordEnd(this.at + 1));
    this.text = decodeName(this.#bytes.toString("latin1", this.start + 1, Math.min(this.at, this.start + 3 * maxTextBytes)));
    return kind;
  }

  #wordEnd(start: number): number {
    let end = start;
    while (end < this.#bytes.length && classes[this.#bytes[end] ?? 0] === 0) end += 1;
    return end;
  }

  #lineEnd(): number {
    let end = this.at;
    while (end < this.#bytes.length && this.#bytes[end] !== 0x0a && this.#bytes[end] !== 0x0d) end += 1;
    return end;
  }

  /** Parentheses are nested and may be escaped. */
  #stringEnd(): number {
    let depth = 0;
    for (let at = this.at; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at];
      if (byte === 0x5c) at += 1;
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return this.#bytes.length;
  }

  #after(byte: number): number {
    const found = this.#bytes.indexOf(byte, this.at);
    return found === -1 ? this.#bytes.length : found + 1;
  }
}

/** `#4a` means `J` in any name. */
function decodeName(name: string): string {
  return name.includes("#") ? name.replace(/#([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : name;
}
