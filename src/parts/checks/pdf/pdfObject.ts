import type { PdfToken } from "./pdfLexer.js";

/** Relevant dictionaries have fewer tokens. */
const maxTokens = 4_096;

/** What is recorded of one object of a PDF while it is read. */
export class PdfObject {
  readonly number: number;
  readonly tokens: PdfToken[] = [];
  /** Whether it has more tokens than are recorded. */
  isCut = false;
  /** Of the open dictionaries. */
  depth = 0;
  readonly #names = new Set<string>();

  constructor(number: number) {
    this.number = number;
  }

  add(token: PdfToken): void {
    if (token.kind === "open") this.depth += 1;
    if (token.kind === "close") this.depth = Math.max(0, this.depth - 1);
    if (this.tokens.length < maxTokens) this.tokens.push(token);
    else this.isCut = true;
    if (token.kind === "name" && telling.has(token.text)) this.#names.add(token.text);
  }

  /** Whether its stream is an object stream, by its type or by keys that only object streams have. */
  get holdsObjects(): boolean {
    return this.#names.has("ObjStm") || (this.#names.has("N") && this.#names.has("First"));
  }

  /** Whether it is a destination inside the document, or a GoTo action to one: the only action allowed when the document is opened. */
  get isDestination(): boolean {
    return !this.isCut && isInternalDestination(this.tokens);
  }
}

const telling: ReadonlySet<string> = new Set(["ObjStm", "N", "First"]);

/** Whether a value is a destination inside the document, or a GoTo action to one. */
export function isInternalDestination(tokens: readonly PdfToken[]): boolean {
  const [first] = tokens;
  if (first?.kind === "openArray") return true;
  if (first?.kind !== "open") return false;
  const value = tokens.slice(0, closingOf(tokens) + 1);
  const actions = value.filter((_, index) => value[index - 1]?.kind === "name" && value[index - 1]?.text === "S");
  const isGoing = actions.length > 0 && actions.every(({ kind, text }) => kind === "name" && text === "GoTo");
  return isGoing && !value.some(({ kind, text }) => kind === "name" && (text === "Next" || text === "URI"));
}

/** End of the dictionary that begins here. */
function closingOf(tokens: readonly PdfToken[]): number {
  let depth = 0;
  for (const [index, { kind }] of tokens.entries()) {
    if (kind === "open") depth += 1;
    if (kind === "close") depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}
