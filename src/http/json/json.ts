import { isUtf8 } from "node:buffer";
import { checkJson, type JsonLimits, malformed, tooDeep } from "./checkJson.js";
import { findJsonFault } from "./jsonFault.js";

/**
 * Parses a JSON body and checks it.
 *
 * The depth is checked before recursive code reads the text. A leading byte order mark is accepted.
 *
 * @throws {ProblemError} MALFORMED_JSON, VALIDATION_FAILED: see {@link checkJson}
 * @see RFC 8259 §8.1
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits, checksText = true): unknown {
  if (bytes.length === 0) throw malformed("The body is empty; it must be JSON.", []);
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.", []);
  requireDepth(bytes, limits.depth);
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(describeFault(text), [], cause);
  }
  // Without an escape, text cannot contain anything that the UTF-8 check and the parser have not already refused.
  checkJson(value, limits, checksText && text.includes("\\u"));
  return value;
}

const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

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

function decode(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Names the first syntax error of a text that is not JSON, with its line and column, counted from 1; the column in UTF-16 code units. */
function describeFault(text: string): string {
  const at = findJsonFault(text) ?? text.length;
  const character = text.codePointAt(at);
  const what = character === undefined ? "it ends too early" : `unexpected ${JSON.stringify(String.fromCodePoint(character))}`;
  return `The body is not JSON: ${what} at line ${countLines(text, at)}, column ${at - text.lastIndexOf("\n", at - 1)}.`;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
