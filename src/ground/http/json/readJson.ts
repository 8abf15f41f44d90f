import { isUtf8 } from "node:buffer";
import { notUtf8 } from "../body/notUtf8.js";
import { turnIsOver, yieldToEventLoop } from "../yieldToEventLoop.js";
import { checkElements, checkMembers, checkName, checkValue, countValue, type JsonCheck, type JsonLimits, malformed, tooDeep } from "./checkJson.js";
import { type JsonTextOptions, notJson, parseJson, unrounded } from "./json.js";
import { findJsonFault } from "./jsonFault.js";

/** Bytes that are parsed without yielding. */
const usualSliceBytes = 65_536;
const byteOrderMark = /* @__PURE__ */ Buffer.from("\uFEFF");
const lineFeed = 0x0a;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/** How a large body is read. */
export interface ReadJsonOptions extends JsonTextOptions {
  /** Bytes that are parsed without yielding. */
  readonly sliceBytes?: number;
}

/**
 * Parses a JSON body and checks it as `parseJson` does. A large body is parsed in slices, with a yield to the event loop between them; a small one at once, without a
 * promise.
 *
 * @returns the value, or a promise of it
 * @throws {ProblemError} MALFORMED_JSON, VALIDATION_FAILED, INVALID_VALUE
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits, options: ReadJsonOptions = {}): unknown {
  const { checksText = true, sliceBytes = usualSliceBytes } = options;
  if (bytes.length <= 2 * sliceBytes) return parseJson(bytes, limits, options);
  if (!isUtf8(bytes)) throw malformed(notUtf8(bytes), []);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = skipSpace(buffer, buffer.subarray(0, 3).equals(byteOrderMark) ? 3 : 0);
  // A scalar or an empty body does not need slices.
  if (((buffer[begin] ?? 0) | braceBit) !== opening) return parseJson(bytes, limits, options);
  const check = { ...limits, seen: 0, checksText: checksText && buffer.includes("\\u"), hasLarge: false };
  return new SlicedJson(buffer, check, sliceBytes, options).parse(begin);
}

/** An array or object that is not closed yet. */
interface Open {
  /** Index of its bracket. */
  readonly start: number;
  readonly isArray: boolean;
  /** Index after its last comma, or after its bracket. */
  child: number;
  /** `undefined` while all of it may still be parsed in one step. */
  value: unknown[] | Record<string, unknown> | undefined;
  /** `value` contains nothing from this index on. */
  rest: number;
  /** The values before `rest`. */
  follows: "bracket" | "child" | "comma";
}

/**
 * Splits a text at its commas, at any depth. When a slice is full, the complete children of each open array and object are parsed
 * and added to its value. Every byte is parsed once.
 */
class SlicedJson {
  readonly #bytes: Buffer;
  readonly #check: JsonCheck;
  readonly #sliceBytes: number;
  readonly #options: JsonTextOptions;
  readonly #open: Open[] = [];
  /** Names and indexes of the values that have been created, except the outermost one. */
  readonly #path: (string | number)[] = [];

  constructor(bytes: Buffer, check: JsonCheck, sliceBytes: number, options: JsonTextOptions) {
    this.#bytes = bytes;
    this.#check = check;
    this.#sliceBytes = sliceBytes;
    this.#options = options;
  }

  async parse(begin: number): Promise<unknown> {
    const bytes = this.#bytes;
    let slicedAt = begin;
    let lookAt = begin + this.#sliceBytes;
    for (let at = begin; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) at = endOfText(bytes, at);
      else if (byte === comma) {
        this.#endChild(at);
        if (at - slicedAt >= this.#sliceBytes) {
          this.#slice();
          slicedAt = at;
        }
      } else if ((byte | braceBit) === opening) this.#enter(at, byte === openingBracket);
      else if ((byte | braceBit) === closing) {
        const value = this.#leave(at, byte === closingBracket);
        if (this.#open.length === 0) return this.#only(value, at);
      }
      if (at < lookAt) continue;
      lookAt = at + this.#sliceBytes;
      if (turnIsOver()) await yieldToEventLoop();
    }
    throw notJson(this.#bytes, bytes.length);
  }

  #enter(at: number, isArray: boolean): void {
    const { depth } = this.#check;
    if (this.#open.length === depth) throw malformed(`${tooDeep(depth)} Byte ${at} opens one more.`, []);
    this.#open.push({ start: at, isArray, child: at + 1, value: undefined, rest: at + 1, follows: "bracket" });
  }

  #endChild(at: number): void {
    const open = this.#open[this.#open.length - 1];
    if (open !== undefined) open.child = at + 1;
  }

  /** The value of the outermost array or object if that is the one that closes; `undefined` for one whose value has not been created. */
  #leave(at: number, isArray: boolean): unknown {
    const open = this.#open.pop();
    if (open === undefined || open.isArray !== isArray) throw notJson(this.#bytes, at);
    const parent = this.#open[this.#open.length - 1];
    if (open.value === undefined) return parent === undefined ? this.#whole(open.start, at + 1) : undefined;
    this.#take(open, open.value, at, true);
    if (parent !== undefined) {
      const name = this.#path.pop();
      if (name === "constructor") checkName(name, open.value, this.#path, this.#check);
      parent.rest = at + 1;
      parent.follows = "child";
    }
    return open.value;
  }

  #whole(from: number, to: number): unknown {
    return this.#checked("", from, to, "", (value, check) => checkValue(value, this.#path, check));
  }

  #only(value: unknown, at: number): unknown {
    const end = skipSpace(this.#bytes, at + 1);
    if (end < this.#bytes.length) throw notJson(this.#bytes, end);
    return value;
  }

  /** Parses all children that are complete. */
  #slice(): void {
    const first = this.#open.findLastIndex(({ value }) => value !== undefined);
    for (const [depth, open] of this.#open.entries()) {
      if (depth < first) continue;
      open.value ??= this.#begin(open, this.#open[depth - 1]);
      if (open.child <= open.rest) continue;
      this.#take(open, open.value, open.child - 1, false);
      open.rest = open.child;
      open.follows = "comma";
    }
  }

  /** Creates the empty value of an array or object, as a child of the one around it. */
  #begin(open: Open, parent: Open | undefined): unknown[] | Record<string, unknown> {
    const value = open.isArray ? [] : {};
    countValue(this.#check);
    if (parent?.value === undefined) return value;
    if (Array.isArray(parent.value)) {
      if (parent.follows === "child") throw notJson(this.#bytes, skipSpace(this.#bytes, parent.rest));
      if (skipSpace(this.#bytes, parent.child) !== open.start) {
        this.#parse("[", parent.child, open.start, "0]");
        throw notJson(this.#bytes, open.start);
      }
      this.#path.push(parent.value.length);
      parent.value.push(value);
    } else {
      const name = this.#nameOf(open, parent);
      this.#path.push(name);
      checkName(name, undefined, this.#path, this.#check);
      this.#join(parent.value, { [name]: value });
    }
    return value;
  }

  #nameOf(open: Open, parent: Open): string {
    if (parent.follows === "child") throw notJson(this.#bytes, skipSpace(this.#bytes, parent.rest));
    const [name, ...others] = Object.keys(this.#parse("{", parent.child, open.start, "0}") as object);
    const hasColon = this.#bytes.toString("latin1", parent.child, open.start).trimEnd().endsWith(":");
    if (name === undefined || others.length > 0 || !hasColon) throw notJson(this.#bytes, open.start);
    return name;
  }

  /** Parses the text between `rest` and a comma or the closing bracket. */
  #take(open: Open, value: unknown[] | Record<string, unknown>, end: number, isClosing: boolean): void {
    let from = skipSpace(this.#bytes, open.rest);
    if (open.follows === "child") {
      if (from === end) return;
      if (this.#bytes[from] !== comma) throw notJson(this.#bytes, from);
      from = skipSpace(this.#bytes, from + 1);
    }
    if (from === end) {
      if (isClosing && open.follows === "bracket") return;
      throw notJson(this.#bytes, end);
    }
    if (Array.isArray(value)) {
      const first = value.length;
      const elements = this.#checked("[", from, end, "]", (array: unknown[], check) => checkElements(array, this.#path, check, first));
      for (const element of elements) value.push(element);
    } else {
      this.#join(
        value,
        this.#checked("{", from, end, "}", (members: Record<string, unknown>, check) => checkMembers(members, this.#path, check)),
      );
    }
  }

  #join(value: Record<string, unknown>, members: Readonly<Record<string, unknown>>): void {
    Object.assign(value, members);
    if (Object.keys(value).length <= this.#check.members) return;
    throw malformed(`An object has more than ${this.#check.members} members.`, this.#path);
  }

  #checked<Value>(before: string, from: number, to: number, behind: string, check: (value: Value, limits: JsonCheck) => void): Value {
    const value = this.#parse(before, from, to, behind) as Value;
    check(value, this.#check);
    if (!this.#check.hasLarge) return value;
    this.#check.hasLarge = false;
    const again = { ...this.#check, seen: 0, checksText: true };
    return unrounded(value, this.#text(before, from, to, behind), this.#options, (exact) => check(exact as Value, again)) as Value;
  }

  #text(before: string, from: number, to: number, behind: string): string {
    return before + this.#bytes.toString("utf8", from, to) + behind;
  }

  #parse(before: string, from: number, to: number, behind: string): unknown {
    const text = this.#text(before, from, to, behind);
    try {
      return JSON.parse(text);
    } catch (cause) {
      const at = (findJsonFault(text) ?? text.length) - before.length;
      throw notJson(this.#bytes, from + Buffer.byteLength(text.slice(before.length, before.length + Math.max(0, at))), cause);
    }
  }
}

/** How many bytes of a string are examined one by one before the engine's own search begins. */
const shortText = 64;

/** The index of the quote that ends the string that begins at `from`, or the end of the bytes. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (const stop = at + shortText; at < stop; at++) {
    const byte = bytes[at];
    if (byte === quote || byte === undefined) return at;
    if (byte === backslash) at += 1;
  }
  for (;;) {
    const end = bytes.indexOf(quote, at);
    if (end === -1) return bytes.length;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
    at = end + 1;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09;
}
