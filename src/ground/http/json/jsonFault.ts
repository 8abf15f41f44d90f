/**
 * The first syntax error of a JSON text: the index of the first invalid character, the length of the text if it ends too early, or `undefined`
 * if it is JSON.
 *
 * `JSON.parse` reports the index only in some engines and for some errors, and otherwise quotes the text.
 *
 * @see RFC 8259 §2
 */
export function findJsonFault(text: string): number | undefined {
  const scanner = new Scanner(text);
  return scanner.document() ? undefined : scanner.at;
}

const hexDigits = "0123456789abcdefABCDEF";
const escapable = '"\\/bfnrt';

/** Every method returns whether its part is valid, and leaves `at` after it or on the first invalid character. */
class Scanner {
  at = 0;
  readonly #text: string;
  /** Closing brackets that must still follow. This is a stack of its own, because a client may nest deeper than the call stack allows. */
  readonly #owed: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  document(): boolean {
    do {
      if (!this.#openings() || !this.#closings()) return false;
    } while (this.#owed.length > 0);
    return this.at === this.#text.length;
  }

  /** Up to the end of the next scalar or empty container. */
  #openings(): boolean {
    for (;;) {
      this.#space();
      const opening = this.#text[this.at];
      if (opening !== "{" && opening !== "[") return this.#scalar();
      this.at += 1;
      const closing = opening === "{" ? "}" : "]";
      this.#owed.push(closing);
      this.#space();
      if (this.#text[this.at] === closing) return true;
      if (closing === "}" && !this.#name()) return false;
    }
  }

  /** Closing brackets, then the comma before the next value or the end of the text. */
  #closings(): boolean {
    this.#space();
    while (this.#owed.length > 0 && this.#text[this.at] === this.#owed.at(-1)) {
      this.#owed.pop();
      this.at += 1;
      this.#space();
    }
    if (this.#owed.length === 0) return true;
    return this.#literal(",") && (this.#owed.at(-1) === "]" || this.#name());
  }

  #name(): boolean {
    this.#space();
    if (!this.#string()) return false;
    this.#space();
    return this.#literal(":");
  }

  #scalar(): boolean {
    switch (this.#text[this.at]) {
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true");
      case "f":
        return this.#literal("false");
      case "n":
        return this.#literal("null");
      default:
        return this.#number();
    }
  }

  #string(): boolean {
    if (!this.#literal('"')) return false;
    for (; this.at < this.#text.length; this.at++) {
      const character = this.#text[this.at] ?? "";
      if (character < " ") return false;
      if (character === '"') return this.#literal('"');
      if (character === "\\" && !this.#escape()) return false;
    }
    return false;
  }

  /** Leaves `at` on the last character of the escape. */
  #escape(): boolean {
    this.at += 1;
    if (this.#text[this.at] !== "u") return this.#isAt(escapable);
    for (let digit = 0; digit < 4; digit++) {
      this.at += 1;
      if (!this.#isAt(hexDigits)) return false;
    }
    return true;
  }

  #number(): boolean {
    if (this.#isAt("-")) this.at += 1;
    if (this.#isAt("0")) this.at += 1;
    else if (!this.#digits()) return false;
    if (this.#isAt(".")) {
      this.at += 1;
      if (!this.#digits()) return false;
    }
    if (!this.#isAt("eE")) return true;
    this.at += 1;
    if (this.#isAt("+-")) this.at += 1;
    return this.#digits();
  }

  #digits(): boolean {
    const start = this.at;
    while (this.#isAt("0123456789")) this.at += 1;
    return this.at > start;
  }

  #literal(word: string): boolean {
    for (const character of word) {
      if (this.#text[this.at] !== character) return false;
      this.at += 1;
    }
    return true;
  }

  #space(): void {
    while (this.#isAt(" \n\r\t")) this.at += 1;
  }

  #isAt(characters: string): boolean {
    const character = this.#text[this.at];
    return character !== undefined && characters.includes(character);
  }
}
