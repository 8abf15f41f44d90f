import type { FaultLocation } from "../../ground/problem/index.js";
import { type Inquiry, whereOf } from "./inquiry.js";

/** A piece of a text, up to a comma, a brace or the end. */
export interface Token {
  /** Without the white space around it. */
  readonly text: string;
  /** The path of names, without a leading minus. */
  readonly path: readonly string[];
  /** Its position, from 1. */
  readonly at: number;
  /** The character that ends it; empty at the end of the text. */
  readonly delimiter: string;
  /** The position of the delimiter, from 0. */
  readonly end: number;
}

/** Comma and braces. */
const delimiters = new Set([44, 123, 125]);

/** Parses the token that begins at `start`. */
export function readToken(source: string, start: number): Token {
  let end = start;
  while (end < source.length && !delimiters.has(source.charCodeAt(end))) end += 1;
  const raw = source.slice(start, end);
  const text = raw.trim();
  const path = (text.startsWith("-") ? text.slice(1) : text).split(".");
  return { text, path, at: end - raw.trimStart().length + 1, delimiter: source.charAt(end), end };
}

/** Returns whether a token is invalid in its text, and reports it. A list has no `*`, minus or braces, and a brace follows only a plain path. */
export function isNoItem({ text, path, at, delimiter }: Token, isList: boolean, place: FaultLocation, { report }: Inquiry): boolean {
  const isPath = !path.includes("") && !path.includes("*");
  const isPlain = isPath && !text.startsWith("-");
  const isBrace = delimiter === "{" || (isList && delimiter === "}");
  if (isList ? isPlain && !isBrace : isBrace ? isPlain : isPath || text === "*") return false;
  const where = `"${whereOf(place)}"`;
  if (text === "") report("EMPTY_VALUE", `${where} has an empty name at character ${at}.`, place);
  else report("INVALID_VALUE", `${where} has "${text.slice(0, 64)}${isBrace ? delimiter : ""}" at character ${at}, where a name is expected.`, place);
  return true;
}
