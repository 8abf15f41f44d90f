import { type ProblemError, problemAt } from "../../problem/index.js";
import { pointer } from "../pointer.js";
import { firstRounded, isRoundedInteger } from "./roundedIntegers.js";

/** Limits of a JSON body. */
export interface JsonLimits {
  /** Nesting of arrays and objects; a scalar has depth 0, `[]` has 1. */
  readonly depth: number;
  /** Members of one object. */
  readonly members: number;
  /** Elements and members of the whole body, at any depth: validation costs far more per value than parsing. */
  readonly values: number;
  /** Whether another parser may have rounded the integers: then those of the range of 64-bit ids are refused. */
  readonly isRounded?: boolean | undefined;
}

/**
 * Checks a JSON value that has been parsed.
 *
 * @param checksText `false` if the caller checks text itself.
 * @throws {ProblemError} MALFORMED_JSON for too deep nesting, too many members or values, a number that is not finite, a member `__proto__`, or `constructor`
 * holding an object with `prototype`; VALIDATION_FAILED for text with NUL or half a surrogate pair, which engines cut or replace; INVALID_VALUE for an integer
 * that has been rounded
 * @returns whether a number is so large that `JSON.parse` may have rounded it
 */
export function checkJson(value: unknown, { depth, members, values, isRounded }: JsonLimits, checksText = true): boolean {
  const check: JsonCheck = { depth, members, values, isRounded, seen: 0, checksText, hasLarge: false };
  checkValue(value, [], check);
  return check.hasLarge;
}

type Path = readonly (string | number)[];

/** The limits, the number of values so far, whether text is checked, and whether a number is so large that it may have been rounded. */
export interface JsonCheck extends JsonLimits {
  seen: number;
  readonly checksText: boolean;
  hasLarge: boolean;
}

/** Counts one more value. @throws {ProblemError} MALFORMED_JSON */
export function countValue(check: JsonCheck): void {
  if (++check.seen > check.values) throw malformed(`There are more than ${check.values} values.`, []);
}

/** Recursive: the limit on depth is checked on the way down. */
export function checkValue(value: unknown, path: (string | number)[], limits: JsonCheck): void {
  countValue(limits);
  if (typeof value === "string") {
    if (limits.checksText) checkText(value, path);
  } else if (typeof value === "number") {
    if (!(value < firstRounded && value > -firstRounded)) checkLarge(value, path, limits);
  } else if (typeof value === "object" && value !== null) {
    if (path.length >= limits.depth) throw malformed(tooDeep(limits.depth), path);
    if (Array.isArray(value)) checkElements(value, path, limits);
    else checkMembers(value, path, limits);
  }
}

/** Integers of 64 bits, with and without a sign. */
const largestId = 2 ** 64;

function checkLarge(value: number, path: Path, limits: JsonCheck): void {
  if (!Number.isFinite(value)) throw malformed("A number is outside the range of binary64.", path);
  limits.hasLarge = true;
  if (limits.isRounded && Math.abs(value) <= largestId) throw rounded(path);
}

/** @param first index of the first one in its array */
export function checkElements(elements: readonly unknown[], path: (string | number)[], limits: JsonCheck, first = 0): void {
  for (let index = 0; index < elements.length; index++) {
    path.push(first + index);
    checkValue(elements[index], path, limits);
    path.pop();
  }
}

/** Checks the members of an object, or some of them. */
export function checkMembers(object: object, path: (string | number)[], limits: JsonCheck): void {
  const names = Object.keys(object);
  if (names.length > limits.members) {
    throw malformed(`An object has ${names.length} members; at most ${limits.members} are allowed.`, path);
  }
  for (const name of names) {
    const member: unknown = (object as Readonly<Record<string, unknown>>)[name];
    path.push(name);
    checkName(name, member, path, limits);
    checkValue(member, path, limits);
    path.pop();
  }
}

/** @param path of the member */
export function checkName(name: string, member: unknown, path: Path, { checksText }: JsonCheck): void {
  if (name === "__proto__" || (name === "constructor" && hasPrototype(member))) {
    throw malformed(`The member "${name}" could change the prototype of an object and is not allowed.`, path);
  }
  if (checksText) checkText(name, path);
}

function hasPrototype(member: unknown): boolean {
  return typeof member === "object" && member !== null && Object.hasOwn(member, "prototype");
}

function checkText(text: string, path: Path): void {
  if (isRoundedInteger(text)) throw rounded(path);
  if (text.includes("\0")) throw refused("VALIDATION_FAILED", "Text must not contain NUL (U+0000).", path);
  if (!text.isWellFormed()) throw refused("VALIDATION_FAILED", "Text must not contain half of a surrogate pair.", path);
}

function rounded(path: Path): ProblemError {
  return refused("INVALID_VALUE", "The integer would be rounded, because numbers are binary64; send it as text if a text may stand here.", path);
}

/** The message for JSON that is nested deeper than the limit. */
export function tooDeep(limit: number): string {
  return `Arrays and objects are nested deeper than ${limit} levels.`;
}

/** A fault of the JSON at a path in it. */
export function malformed(detail: string, path: Path, cause?: unknown): ProblemError {
  return refused("MALFORMED_JSON", detail, path, cause);
}

/** Longest member name that a problem repeats. */
const nameLength = 256;

function refused(code: "MALFORMED_JSON" | "VALIDATION_FAILED" | "INVALID_VALUE", detail: string, path: Path, cause?: unknown): ProblemError {
  const tooLong = path.findIndex((step) => typeof step === "string" && step.length > nameLength);
  const shown = tooLong === -1 ? path : path.slice(0, tooLong);
  return problemAt(code, detail, { pointer: pointer(shown) }, { cause });
}
