import { unscannable } from "../rejection.js";
import { bytesATurn, giveWay } from "../turn.js";
import type { InflateBudget } from "../zip/inflateBudget.js";
import { decodeStream } from "./decodeStream.js";
import { mayHoldObject } from "./mayHoldObject.js";
import { nextNumber, numberAfter } from "./objectNumbers.js";
import { PdfLexer, type PdfToken } from "./pdfLexer.js";
import { leadsWithin, PdfObject } from "./pdfObject.js";

export interface PdfScanOptions {
  /** Names that the file may not have. */
  readonly forbidden: ReadonlySet<string>;
  readonly budget: InflateBudget;
  readonly signal: AbortSignal;
}

/** Thrown within the scan, which ends with the first name that is found. */
class ActiveName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The first active name of a PDF; `undefined` where there is none. What is read is everything that a reader may take for an object, wherever the file says its
 * objects are.
 *
 * @throws {ProblemError} UNSCANNABLE where it is encrypted, has objects that cannot be read, or none
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
  /** By their numbers: whether all objects of this number are places in the document. */
  readonly #destinations = new Map<number, boolean>();
  /** Objects that are the action to begin with. */
  readonly #openActions = new Set<number>();
  #current: PdfObject | undefined;
  /** What may hold objects where there should be none. */
  readonly #hidden: Buffer[] = [];
  /** Where in the file others have their turn. */
  #turn = bytesATurn;

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
      // Elsewhere it begins nothing, though it may be meant to hide what follows.
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
    await giveWay(this.#options.signal);
    this.#turn = at + bytesATurn;
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
      if (kind === "name" && text === "OpenAction") this.#judgeOpenAction(tokens.slice(index + 1, index + 64));
    }
  }

  /** A place in the document is no harm; it may be an object of its own. */
  #judgeOpenAction(value: readonly PdfToken[]): void {
    const [number, , reference] = value;
    if (number?.kind === "word" && reference?.text === "R") this.#openActions.add(Number(number.text));
    else if (number?.text !== "null" && !leadsWithin(value)) throw new ActiveName("OpenAction");
  }

  #take(lexer: PdfLexer, bytes: Buffer, object: PdfObject | undefined): void {
    const { kind, text } = lexer;
    if (kind === "string" || kind === "comment") this.#hide(bytes.subarray(lexer.start, lexer.at));
    if (kind === "comment") return;
    if (kind === "name") this.#judgeName(text, object);
    object?.add({ kind, text });
  }

  #judgeName(name: string, object: PdfObject | undefined): void {
    if (name === "Encrypt") throw unscannable("The PDF is encrypted.");
    // Of an object, the value decides, as long as it is remembered.
    if (name === "OpenAction" && object?.isCut === false) return;
    if (this.#options.forbidden.has(name)) throw new ActiveName(name);
  }

  /** Where the bytes of a stream end, whatever length it says it has. */
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
      if (!(start <= end && end <= decoded.length)) throw unscannable("The PDF has a stream of objects that is damaged.");
      await this.#readObject(number, decoded.subarray(start, end));
    }
    await giveWay(this.#options.signal);
  }

  async #readObject(number: number, bytes: Buffer): Promise<void> {
    const object = new PdfObject(number);
    const lexer = new PdfLexer(bytes);
    let turn = bytesATurn;
    while (lexer.next() !== "end") {
      if (lexer.kind === "word" && (lexer.text === "obj" || lexer.text === "stream")) throw unscannable("The PDF has an object in an object.");
      this.#take(lexer, bytes, object);
      if (this.#hidden.length > 0) await this.#searchHidden();
      if (lexer.at < turn) continue;
      turn += bytesATurn;
      await giveWay(this.#options.signal);
    }
    this.#finish(object);
  }

  #hide(bytes: Buffer): void {
    if (mayHoldObject(bytes)) this.#hidden.push(bytes);
  }

  /** A file may say that an object begins within a string, a comment or the bytes of a stream: then every name in there counts. */
  async #searchHidden(): Promise<void> {
    for (const bytes of this.#hidden.splice(0)) {
      const lexer = new PdfLexer(bytes);
      let turn = bytesATurn;
      for (let at = bytes.indexOf(0x2f); at !== -1; at = bytes.indexOf(0x2f, lexer.at)) {
        lexer.at = at;
        lexer.next();
        if (lexer.text === "ObjStm") throw unscannable("The PDF has objects where none can be.");
        this.#judgeName(lexer.text, undefined);
        if (at < turn) continue;
        turn = at + bytesATurn;
        await giveWay(this.#options.signal);
      }
    }
  }
}
