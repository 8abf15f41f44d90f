import { isUtf8 } from "node:buffer";
import type { ProblemError } from "../../problem/index.js";
import { notUtf8 } from "../body/notUtf8.js";
import { checkJson, type JsonLimits, malformed, tooDeep } from "./checkJson.js";
import { findJsonFault } from "./jsonFault.js";
import { withoutRounded } from "./roundedIntegers.js";

/** What is done about text, and about integers that `JSON.parse` rounds. */
export interface JsonTextOptions {
  /** `false` if the caller checks text itself. Then integers are rounded, unless `onRounded` is given. */
  readonly checksText?: boolean | undefined;
  /** Called if the value has texts instead of integers that would be rounded, which the caller finds when it checks text. */
  readonly onRounded?: (() => void) | undefined;
}

/**
 * Parses a JSON body and checks it.
 *
 * The depth is checked before recursive code reads the text. A leading byte order mark is accepted.
 *
 * @throws {ProblemError} MALFORMED_JSON, VALIDATION_FAILED, INVALID_VALUE: see {@link checkJson}
 * @see RFC 8259 §8.1
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits, options: JsonTextOptions = {}): unknown {
  if (bytes.length === 0) throw malformed("The body is empty; it must be JSON.", []);
  if (!isUtf8(bytes)) throw malformed(notUtf8(bytes), []);
  requireDepth(bytes, limits.depth);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = buffer.toString("utf8");
  const text = whole.startsWith("\uFEFF") ? whole.slice(1) : whole;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const valid = whole.slice(0, whole.length - text.length + (findJsonFault(text) ?? text.length));
    throw notJson(buffer, Buffer.byteLength(valid), cause);
  }
  // Without an escape, text cannot contain anything that the UTF-8 check and the parser have not already refused.
  const hasLarge = checkJson(value, limits, options.checksText !== false && text.includes("\\u"));
  return hasLarge ? unrounded(value, text, options, (exact) => checkJson(exact, limits)) : value;
}

/**
 * The value of a text that has large numbers: itself if none of them has been rounded.
 *
 * @param check refuses the value with texts in the place of integers that would be rounded
 */
export function unrounded(value: unknown, text: string, { checksText = true, onRounded }: JsonTextOptions, check: (value: unknown) => void): unknown {
  const exact = checksText || onRounded !== undefined ? withoutRounded(text) : undefined;
  if (exact === undefined) return value;
  const replaced: unknown = JSON.parse(exact);
  if (onRounded === undefined) check(replaced);
  onRounded?.();
  return replaced;
}

const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;
const lineFeed = 0x0a;

/** Agrees with a JSON parser up to the first syntax error, where every parser stops. */
function requireDepth(bytes: Uint8Array, limit: number): void {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === quote) isText = !isText;
    else if (isText) index += byte === backslash ? 1 : 0;
    else if ((byte | braceBit) === closing) depth -= 1;
    else if ((byte | braceBit) === opening && ++depth > limit) throw malformed(`${tooDeep(limit)} Byte ${index} opens one more.`, []);
  }
}

/**
 * The error for a text that stops being JSON at a byte. It names the line and the column, counted from 1; the column in UTF-16 code units, without a byte order mark.
 */
export function notJson(bytes: Buffer, at: number, cause?: unknown): ProblemError {
  const [character] = bytes.toString("utf8", at, at + 4);
  const what = character === undefined ? "it ends too early" : `unexpected ${JSON.stringify(character)}`;
  const before = bytes.subarray(0, at);
  let line = 1;
  for (let place = 0; place < at; place++) if (before[place] === lineFeed) line += 1;
  const column = before.toString("utf8", before.lastIndexOf(lineFeed) + 1).replace(/^\uFEFF/, "").length + 1;
  return malformed(`The body is not JSON: ${what} at line ${line}, column ${column}.`, [], cause);
}
