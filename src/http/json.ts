import { isUtf8 } from "node:buffer";
import { ProblemError } from "../problem/index.js";
import { locateJsonFault } from "./locateJsonFault.js";
import { pointer } from "./pointer.js";

/** What a JSON body may cost. */
export interface JsonLimits {
  /** Nesting of arrays and objects; a scalar has depth 0, `[]` has 1. */
  readonly depth: number;
  /** Members of one object. */
  readonly members: number;
  /** Elements and members of the whole body, at any depth: validation costs far more a value than parsing does. */
  readonly values: number;
}

/**
 * Parses a JSON body and checks it.
 *
 * The depth is judged before anything recursive sees the text. A leading byte order mark is tolerated.
 *
 * @throws {ProblemError} MALFORMED_JSON, VALIDATION_FAILED: see {@link checkJson}
 * @see RFC 8259 §8.1
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): unknown {
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
  // Without an escape no text can hold what UTF-8 and the parser have not already refused.
  checkValue(value, [], { ...limits, seen: 0, checksText: text.includes("\\u") });
  return value;
}

/**
 * Checks a JSON value, also one that somebody else has parsed.
 *
 * @param checksText `false` where text is judged by somebody else.
 * @throws {ProblemError} MALFORMED_JSON for too deep nesting, too many members or values, a number that is not finite, a member `__proto__`, or `constructor`
 * holding an object with `prototype`; VALIDATION_FAILED for text with NUL or half a surrogate pair: engines cut or replace it
 */
export function checkJson(value: unknown, limits: JsonLimits, checksText = true): void {
  checkValue(value, [], { ...limits, seen: 0, checksText });
}

type Path = (string | number)[];

/** The limits, how many values have been seen, and whether text needs a look. */
interface Count extends JsonLimits {
  seen: number;
  readonly checksText: boolean;
}

/** Recursive, since the limit on depth is judged on the way down. */
function checkValue(value: unknown, path: Path, limits: Count): void {
  if (++limits.seen > limits.values) throw malformed(`There are more than ${limits.values} values.`, []);
  if (typeof value === "string") {
    if (limits.checksText) checkText(value, path);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw malformed("A number is outside the range of binary64.", path);
  } else if (typeof value === "object" && value !== null) {
    if (path.length >= limits.depth) throw malformed(tooDeep(limits.depth), path);
    if (Array.isArray(value)) checkElements(value, path, limits);
    else checkMembers(value, path, limits);
  }
}

function checkElements(elements: readonly unknown[], path: Path, limits: Count): void {
  for (let index = 0; index < elements.length; index++) {
    path.push(index);
    checkValue(elements[index], path, limits);
    path.pop();
  }
}

function checkMembers(object: object, path: Path, limits: Count): void {
  const names = Object.keys(object);
  if (names.length > limits.members) {
    throw malformed(`An object has ${names.length} members; allowed are ${limits.members}.`, path);
  }
  for (const name of names) {
    const member: unknown = (object as Readonly<Record<string, unknown>>)[name];
    path.push(name);
    if (name === "__proto__" || (name === "constructor" && hasPrototype(member))) {
      throw malformed(`The member "${name}" could change the prototype of an object; it is refused.`, path);
    }
    if (limits.checksText) checkText(name, path);
    checkValue(member, path, limits);
    path.pop();
  }
}

function hasPrototype(member: unknown): boolean {
  return typeof member === "object" && member !== null && Object.hasOwn(member, "prototype");
}

function checkText(text: string, path: Path): void {
  if (text.includes("\0")) throw refused("VALIDATION_FAILED", "Text must not contain NUL (U+0000).", path);
  if (!text.isWellFormed()) throw refused("VALIDATION_FAILED", "Text must not contain half of a surrogate pair.", path);
}

const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/** Agrees with a JSON parser up to the first syntax error, and no parser goes on after that. */
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

function describeFault(text: string): string {
  const { what, line, column } = locateJsonFault(text);
  return `The body is not JSON: ${what} at line ${line}, column ${column}.`;
}

function tooDeep(limit: number): string {
  return `Arrays and objects are nested deeper than ${limit} levels.`;
}

function malformed(detail: string, path: Path, cause?: unknown): ProblemError {
  return refused("MALFORMED_JSON", detail, path, cause);
}

/** Longest member name that an answer repeats. */
const nameLength = 256;

function refused(code: "MALFORMED_JSON" | "VALIDATION_FAILED", detail: string, path: Path, cause?: unknown): ProblemError {
  const tooLong = path.findIndex((step) => typeof step === "string" && step.length > nameLength);
  const shown = tooLong === -1 ? path : path.slice(0, tooLong);
  return new ProblemError(code, detail, { errors: [{ code, detail, pointer: pointer(shown) }], cause });
}
