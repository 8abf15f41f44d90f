import { JsonScanner } from "./jsonScanner.js";

const comma = 0x2c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** The position of an array item in the bytes of its file, and how large it would be when parsed. */
export interface JsonItem {
  /** Index of its first byte. */
  readonly start: number;
  /** Index after its last byte. */
  readonly end: number;
  /** Line that it begins in; the first is 1. */
  readonly line: number;
  /** Depth of nested arrays and objects; a scalar has depth 0. */
  readonly depth: number;
  /** Number of values at any depth, itself included. */
  readonly values: number;
}

/** The scan of a long item pauses after so many bytes. */
const stretchBytes = 65_536;

/**
 * Finds the items of a JSON array. Validates every byte, and parses no value.
 *
 * @yields `undefined` between two parts of a long item, so that the caller can yield to the event loop
 * @returns `undefined` for a valid array; otherwise the index of the first invalid byte, or the length of the text if it ends too early
 */
export function* jsonItems(bytes: Uint8Array): Generator<JsonItem | undefined, number | undefined, undefined> {
  const scanner = new JsonScanner(bytes);
  scanner.skipSpace();
  if (!scanner.take(openingBracket)) return scanner.at;
  scanner.skipSpace();
  if (!scanner.take(closingBracket)) {
    do {
      scanner.skipSpace();
      const { at: start, line } = scanner;
      for (;;) {
        const isOver = scanner.scan(scanner.at + stretchBytes);
        if (isOver === false) return scanner.at;
        if (isOver === true) break;
        yield undefined;
      }
      yield { start, end: scanner.at, line, depth: scanner.depth, values: scanner.values };
      scanner.skipSpace();
    } while (scanner.take(comma));
    if (!scanner.take(closingBracket)) return scanner.at;
  }
  scanner.skipSpace();
  return scanner.at === bytes.length ? undefined : scanner.at;
}
