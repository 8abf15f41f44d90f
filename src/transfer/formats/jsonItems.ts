const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/** Where an item of an array stands in the bytes of its file. */
export interface JsonItem {
  /** Its first byte. */
  readonly start: number;
  /** Behind its last byte; the same as `start` where there is nothing between two commas. */
  readonly end: number;
  /** Line that it begins in, the first being 1. */
  readonly line: number;
  /** Nesting of arrays and objects in it; a scalar has depth 0. */
  readonly depth: number;
}

/**
 * The items of the array that a text of JSON is, without a look at what they are.
 *
 * @returns Whether all but the items is an array: where they are JSON as well, the text is.
 */
export function* jsonItems(bytes: Uint8Array): Generator<JsonItem, boolean, undefined> {
  const place: Place = { at: 0, line: 1 };
  skipSpace(bytes, place);
  if (bytes[place.at] !== openingBracket) return false;
  for (let isFirst = true; ; isFirst = false) {
    place.at += 1;
    skipSpace(bytes, place);
    const { at: start, line } = place;
    const depth = skipItem(bytes, place);
    const isEmptyArray = isFirst && place.at === start && bytes[start] === closingBracket;
    if (!isEmptyArray) yield { start, end: withoutSpace(bytes, start, place.at), line, depth };
    if (bytes[place.at] !== comma) break;
  }
  if (bytes[place.at] !== closingBracket) return false;
  place.at += 1;
  skipSpace(bytes, place);
  return place.at === bytes.length;
}

interface Place {
  at: number;
  line: number;
}

/** Goes on to the comma or bracket that ends an item, or to the end of the text; returns how deep the item is nested. */
function skipItem(bytes: Uint8Array, place: Place): number {
  let depth = 0;
  let deepest = 0;
  let at = place.at;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfText(bytes, at);
    else if (depth === 0 && (byte === comma || (byte | braceBit) === closing)) break;
    else if ((byte | braceBit) === closing) depth -= 1;
    else if ((byte | braceBit) === opening) deepest = Math.max(deepest, ++depth);
    else if (byte === lineFeed) place.line += 1;
  }
  place.at = Math.min(at, bytes.length);
  return deepest;
}

/** The quote that ends the text that begins with this one. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function skipSpace(bytes: Uint8Array, place: Place): void {
  for (; isSpace(bytes[place.at]); place.at++) {
    if (bytes[place.at] === lineFeed) place.line += 1;
  }
}

function withoutSpace(bytes: Uint8Array, start: number, stop: number): number {
  let end = stop;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return end;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;
}
