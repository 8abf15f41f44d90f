import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { bytesPerYield } from "../bytesPerYield.js";
import { unscannable } from "../rejection.js";
import type { InflateBudget } from "../zip/inflateBudget.js";
import { decodeStream } from "./decodeStream.js";
import { PdfLexer, type PdfToken } from "./pdfLexer.js";
import { isInternalDestination, PdfObject } from "./pdfObject.js";

export interface PdfScanOptions {
  /** Names that the file must not contain. */
  readonly forbidden: ReadonlySet<string>;
  readonly budget: InflateBudget;
  readonly signal: AbortSignal;
}

/** Thrown inside the scan, which ends at the first name found. */
class ActiveName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The first active name of a PDF; `undefined` if there is none. Everything is scanned that a reader may treat as an object, wherever the file says its
 * objects are.
 *
 * @throws {ProblemError} UNSCANNABLE if it is encrypted, or has no objects or unreadable ones
 */
export async function scanPdf(bytes: Uint8Array, options: PdfScanOptions): Promise<string | undefined> {
  const scan = new PdfScan(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), options);
  try {
    await scan.run();
    return undefined;
  } catch (error) {
    if (error instanceof ActiveName) return error.name;
    throw error;
  }
}

class PdfScan {
  readonly #bytes: Buffer;
  readonly #options: PdfScanOptions;
  /** By number: whether all objects with this number are destinations inside the document. */
  readonly #destinations = new Map<number, boolean>();
  /** Objects that are the opening action. */
  readonly #openActions = new Set<number>();
  #current: PdfObject | undefined;
  /** Ranges that may contain objects where none are allowed. */
  readonly #hidden: Buffer[] = [];
  /** The next offset at which the scan yields to the event loop. */
  #turn = bytesPerYield;

  constructor(bytes: Buffer, options: PdfScanOptions) {
    this.#bytes = bytes;
    this.#options = options;
  }

  async run(): Promise<void> {
    const lexer = new PdfLexer(this.#bytes);
    let words: readonly string[] = [];
    let isBehindDictionary = false;
    while (lexer.next() !== "end") {
      const { kind, text } = lexer;
      if (kind === "word" && text === "obj") this.#begin(words[0]);
      else if (kind === "word" && text === "endobj") this.#end();
      // Elsewhere it begins no token, although it may be there to hide what follows.
      else if (kind === "word" && text === "stream" && isBehindDictionary) lexer.at = await this.#readStream(lexer.at);
      else this.#take(lexer, this.#bytes, this.#current);
      if (kind !== "comment") isBehindDictionary = kind === "close" && this.#current?.depth === 0;
      if (kind === "word") words = [words.at(-1) ?? "", text];
      if (this.#hidden.length > 0) await this.#searchHidden();
      if (lexer.at >= this.#turn) await this.#rest(lexer.at);
    }
    this.#end();
    if (this.#destinations.size === 0) throw unscannable("The PDF has no objects.");
    for (const number of this.#openActions) if (this.#destinations.get(number) !== true) throw new ActiveName("OpenAction");
  }

  async #rest(at: number): Promise<void> {
    await yieldToEventLoop(this.#options.signal);
    this.#turn = at + bytesPerYield;
  }

  #begin(number: string | undefined): void {
    this.#end();
    this.#current = new PdfObject(Number(number));
  }

  #end(): void {
    if (this.#current !== undefined) this.#finish(this.#current);
    this.#current = undefined;
  }

  #finish(object: PdfObject): void {
    const { number, tokens, isDestination } = object;
    this.#destinations.set(number, isDestination && this.#destinations.get(number) !== false);
    if (!this.#options.forbidden.has("OpenAction")) return;
    for (const [index, { kind, text }] of tokens.entries()) {
      if (kind === "name" && text === "OpenAction") this.#checkOpenAction(tokens.slice(index + 1, index + 64));
    }
  }

  /** A destination inside the document is harmless; it may be a separate object. */
  #checkOpenAction(value: readonly PdfToken[]): void {
    const [number, , reference] = value;
    if (number?.kind === "word" && reference?.text === "R") this.#openActions.add(Number(number.text));
    else if (number?.text !== "null" && !isInternalDestination(value)) throw new ActiveName("OpenAction");
  }

  #take(lexer: PdfLexer, bytes: Buffer, object: PdfObject | undefined): void {
    const { kind, text } = lexer;
    if (kind === "string" || kind === "comment") this.#hide(bytes.subarray(lexer.start, lexer.at));
    if (kind === "comment") return;
    if (kind === "name") this.#findMacrosByName(text, object);
    object?.add({ kind, text });
  }

  #findMacrosByName(name: string, object: PdfObject | undefined): void {
    if (name === "Encrypt") throw unscannable("The PDF is encrypted.");
    // For an object, its value decides, if it was recorded.
    if (name === "OpenAction" && object?.isCut === false) return;
    if (this.#options.forbidden.has(name)) throw new ActiveName(name);
  }

  /** End of the bytes of a stream, regardless of its declared length. */
  async #readStream(at: number): Promise<number> {
    const found = this.#bytes.indexOf("endstream", at, "latin1");
    const end = found === -1 ? this.#bytes.length : found;
    const begin = at + (this.#bytes[at] === 0x0d ? 1 : 0) + (this.#bytes[at] === 0x0a || this.#bytes[at + 1] === 0x0a ? 1 : 0);
    const data = this.#bytes.subarray(begin, end);
    if (this.#current?.holdsObjects) await this.#readObjects(this.#current, data);
    else this.#hide(data);
    return found === -1 ? end : end + "endstream".length;
  }

  /** @see ISO 32000-2 §7.5.7 */
  async #readObjects({ tokens, isCut }: PdfObject, data: Buffer): Promise<void> {
    if (isCut) throw unscannable("The PDF has a dictionary that is too long.");
    const decoded = await decodeStream(tokens, data, this.#options.budget);
    const first = numberAfter(tokens, "First");
    const count = numberAfter(tokens, "N");
    const header = new PdfLexer(decoded.subarray(0, first));
    const places: { readonly number: number; readonly start: number }[] = [];
    for (let index = 0; index < count && places.length <= decoded.length; index++)
      places.push({ number: nextNumber(header), start: first + nextNumber(header) });
    for (const [index, { number, start }] of places.entries()) {
      const end = places[index + 1]?.start ?? decoded.length;
      if (!(start <= end && end <= decoded.length)) throw unscannable("The PDF has a damaged object stream.");
      await this.#readObject(number, decoded.subarray(start, end));
    }
    await yieldToEventLoop(this.#options.signal);
  }

  async #readObject(number: number, bytes: Buffer): Promise<void> {
    const object = new PdfObject(number);
    const lexer = new PdfLexer(bytes);
    let turn = bytesPerYield;
    while (lexer.next() !== "end") {
      if (lexer.kind === "word" && (lexer.text === "obj" || lexer.text === "stream"))
        throw unscannable("The PDF has an object inside another object.");
      this.#take(lexer, bytes, object);
      if (this.#hidden.length > 0) await this.#searchHidden();
      if (lexer.at < turn) continue;
      turn += bytesPerYield;
      await yieldToEventLoop(this.#options.signal);
    }
    this.#finish(object);
  }

  #hide(bytes: Buffer): void {
    if (mayContainObject(bytes)) this.#hidden.push(bytes);
  }

  /** A file may declare that an object begins inside a string, a comment or a stream; then every name in there counts. */
  async #searchHidden(): Promise<void> {
    for (const bytes of this.#hidden.splice(0)) {
      const lexer = new PdfLexer(bytes);
      let turn = bytesPerYield;
      for (let at = bytes.indexOf(0x2f); at !== -1; at = bytes.indexOf(0x2f, lexer.at)) {
        lexer.at = at;
        lexer.next();
        if (lexer.text === "ObjStm") throw unscannable("The PDF has objects at a position where none are allowed.");
        this.#findMacrosByName(lexer.text, undefined);
        if (at < turn) continue;
        turn = at + bytesPerYield;
        await yieldToEventLoop(this.#options.signal);
      }
    }
  }
}

/** Whether it contains the word `obj`, as at the beginning of an object. */
function mayContainObject(bytes: Buffer): boolean {
  for (let at = bytes.indexOf("obj", 0, "latin1"); at !== -1; at = bytes.indexOf("obj", at + 1, "latin1")) {
    // In lower case; at the beginning there is no number before it.
    const before = (bytes[at - 1] ?? 0x61) | 0x20;
    if (before < 0x61 || before > 0x7a) return true;
  }
  return false;
}

/** The direct number after a key that occurs once. @throws {ProblemError} UNSCANNABLE */
function numberAfter(tokens: readonly PdfToken[], key: string): number {
  const places = [...tokens.keys()].filter((index) => tokens[index]?.kind === "name" && tokens[index]?.text === key);
  const at = (places[0] ?? 0) + 1;
  const value = tokens[at];
  if (places.length !== 1 || value?.kind !== "word" || !/^\d{1,9}$/.test(value.text) || tokens[at + 2]?.text === "R") {
    throw unscannable("The PDF has an object stream without the positions of its objects.");
  }
  return Number(value.text);
}

/** The next number. @throws {ProblemError} UNSCANNABLE */
function nextNumber(lexer: PdfLexer): number {
  const isNumber = lexer.next() === "word" && /^\d{1,10}$/.test(lexer.text);
  if (!isNumber) throw unscannable("The PDF has a damaged object stream.");
  return Number(lexer.text);
}
