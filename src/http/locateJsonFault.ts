import { findJsonFault } from "./jsonFault.js";

/** Where a text stops being JSON. */
export interface JsonFault {
  /** `unexpected "}"`, or that the text ends too early. */
  readonly what: string;
  /** The first one is 1. */
  readonly line: number;
  /** Of the line, in UTF-16 code units; the first one is 1. */
  readonly column: number;
}

/** Where a text that is not JSON stops being it, in words for people. */
export function locateJsonFault(text: string): JsonFault {
  const at = findJsonFault(text) ?? text.length;
  const character = text.codePointAt(at);
  const what = character === undefined ? "it ends too early" : `unexpected ${JSON.stringify(String.fromCodePoint(character))}`;
  return { what, line: countLines(text, at), column: at - text.lastIndexOf("\n", at - 1) };
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
