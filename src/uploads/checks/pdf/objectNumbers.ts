import { unscannable } from "../rejection.js";
import type { PdfLexer, PdfToken } from "./pdfLexer.js";

/** The number behind a key that is there once, as a number and not as a reference. @throws {ProblemError} UNSCANNABLE */
export function numberAfter(tokens: readonly PdfToken[], key: string): number {
  const places = [...tokens.keys()].filter((index) => tokens[index]?.kind === "name" && tokens[index]?.text === key);
  const at = (places[0] ?? 0) + 1;
  const value = tokens[at];
  if (places.length !== 1 || value?.kind !== "word" || !/^\d{1,9}$/.test(value.text) || tokens[at + 2]?.text === "R") {
    throw unscannable("The PDF has a stream of objects that does not say where they are.");
  }
  return Number(value.text);
}

/** The number that comes next. @throws {ProblemError} UNSCANNABLE */
export function nextNumber(lexer: PdfLexer): number {
  const isNumber = lexer.next() === "word" && /^\d{1,10}$/.test(lexer.text);
  if (!isNumber) throw unscannable("The PDF has a stream of objects that is damaged.");
  return Number(lexer.text);
}
