import { JsonScanner } from "./jsonScanner.js";

/** The first fault in a text that is not JSON. */
export interface JsonTextFault {
  /** `unexpected "}"` or `it ends too early`. */
  readonly what: string;
  /** The first line is 1. */
  readonly line: number;
  /** Column in the line, in UTF-16 code units; the first is 1. */
  readonly column: number;
}

/** Finds the first fault in a text that is not JSON. */
export function findTextFault(text: string): JsonTextFault {
  const bytes = new TextEncoder().encode(text);
  const scanner = new JsonScanner(bytes);
  if (scanner.scan(Number.POSITIVE_INFINITY)) scanner.skipSpace();
  return textFaultAt(bytes, scanner.at);
}

const lineFeed = 0x0a;

/** Describes the fault at this byte, or at the end of the text. */
export function textFaultAt(bytes: Uint8Array, at: number): JsonTextFault {
  const [character] = decode(bytes.subarray(at, at + 4));
  let line = 1;
  let start = 0;
  for (let index = 0; index < at; index++) {
    if (bytes[index] !== lineFeed) continue;
    line += 1;
    start = index + 1;
  }
  return {
    what: character === undefined ? "it ends too early" : `unexpected ${JSON.stringify(character)}`,
    line,
    column: decode(bytes.subarray(start, at)).length + 1,
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
