import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../../engine/bindings.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import { asText, inCodePoints, unchanged } from "./expressions.js";

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
};

const wholeNumber = /^-?(?:0|[1-9]\d*)$/;

export function integer(kind: ColumnKind, { type }: CatalogColumn): ColumnType | undefined {
  const [low, high] = ranges[type] ?? [0n, 0n];
  const toInteger = (value: unknown): bigint | undefined => {
    if (typeof value === "bigint") return value;
    if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
    return kind === "text" && typeof value === "string" && value.length <= 20 && wholeNumber.test(value) ? BigInt(value) : undefined;
  };
  const accepts = (value: Scalar) => {
    const integer = toInteger(value);
    return integer !== undefined && low <= integer && integer <= high;
  };
  const decode = integerDecoders[kind];
  if (decode === undefined) return undefined;
  return {
    text: inCodePoints,
    ...(decode === readSafe && type === "int8" && { readable: isSafe }),
    beyond: (value, bindings) => writeNumber(value, "numeric", bindings),
    ...{ place: unchanged, read: asText, write: (parameter: string) => `${parameter}::text::${type}`, decode, accepts },
    encode(value) {
      if (accepts(value as Scalar)) return String(value);
      throw new Unfit("range", `${low} to ${high}`);
    },
  };
}

/** A parameter with any number; its text has no exponent. */
function writeNumber(value: Scalar, type: string, bindings: Bindings): string | undefined {
  const text = typeof value === "bigint" ? String(value) : typeof value === "number" && Number.isFinite(value) ? fullDecimal(value) : undefined;
  return text === undefined ? undefined : `${bindings.bind(text)}::text::${type}`;
}

const isSafe = (column: string) => `${column} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
// PostgreSQL 12 and 13 have no infinite numerics, and no cast of this text to one.
export const isFiniteNumber = (column: string) => `${column}::text not in ('NaN', 'Infinity', '-Infinity')`;

const isWhole = (column: string) => `(${isFiniteNumber(column)} and ${column} = trunc(${column}))`;

const integerDecoders: Readonly<Partial<Record<ColumnKind, (stored: unknown) => unknown>>> = {
  int: readSafe,
  number: readSafe,
  bigint: (stored) => BigInt(String(stored)),
  text: String,
};

function readSafe(stored: unknown): number {
  const value = Number(stored);
  if (Number.isSafeInteger(value)) return value;
  if (!Number.isInteger(value)) throw new Unreadable(`${String(stored)} is not an integer`);
  throw new Unreadable(`${String(stored)} is beyond 2^53: use z.bigint() or a text of digits for it`);
}

const plainDecimal = /^-?\d+(?:\.\d+)?$/;

/** Digits of a decimal that a number holds exactly. */
const exactDigits = 15;

export function numeric(kind: ColumnKind, { precision, scale = 0 }: CatalogColumn): ColumnType | undefined {
  if (kind !== "number" && kind !== "int" && kind !== "text") return undefined;
  if (kind !== "text" && (precision ?? Number.POSITIVE_INFINITY) > exactDigits) return undefined;
  const textOf = (value: unknown): string | undefined => {
    if (typeof value === "string") return kind === "text" && value.length <= 200 && plainDecimal.test(value) ? value : undefined;
    if (typeof value === "bigint") return String(value);
    return typeof value === "number" && Number.isFinite(value) ? fullDecimal(value) : undefined;
  };
  const accepts = (value: unknown) => {
    const text = textOf(value);
    return text !== undefined && hasDigits(text, precision, scale);
  };
  return {
    ...{ place: unchanged, read: asText, write: (parameter: string) => `${parameter}::text::numeric` },
    text: inCodePoints,
    readable: kind === "int" && scale > 0 ? isWhole : isFiniteNumber,
    accepts,
    beyond(value, bindings) {
      const text = textOf(value);
      return text === undefined ? undefined : `${bindings.bind(text)}::text::numeric`;
    },
    decode: kind === "text" ? readDecimal : kind === "int" ? readSafe : readFinite,
    encode(value) {
      const text = textOf(value);
      if (text !== undefined && hasDigits(text, precision, scale)) return text;
      throw new Unfit("range", precision === undefined ? undefined : digitsRule(precision, scale));
    },
  };
}

/** Whether a decimal has at most the digits of its column, which would round others: with a negative scale, the last digits before the point. */
export function hasDigits(text: string, precision: number | undefined, scale: number): boolean {
  if (precision === undefined) return true;
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  const digits = whole.replace(/^0+/, "");
  const isRound = scale >= 0 || digits === "" || digits.endsWith("0".repeat(-scale));
  return isRound && fraction.replace(/0+$/, "").length <= Math.max(scale, 0) && digits.length <= precision - scale;
}

/** The digits that a column can contain, as the end of a sentence. */
export function digitsRule(precision: number, scale: number): string {
  const before = `${precision - scale} digits before the point`;
  return scale < 0 ? `${before}, the last ${-scale} of them 0, and none after it` : `${before} and ${scale} after it`;
}

/** A number without an exponent. */
function fullDecimal(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toLocaleString("en-US", { useGrouping: false, maximumSignificantDigits: 17, maximumFractionDigits: 20 });
}

function readDecimal(stored: unknown): string {
  if (plainDecimal.test(String(stored))) return String(stored);
  throw new Unreadable(`${String(stored)} is not a finite number`);
}

function readFinite(stored: unknown): number {
  const value = Number(stored);
  if (Number.isFinite(value)) return value;
  throw new Unreadable(`${String(stored)} is not a finite number`);
}

export function float({ type }: CatalogColumn): ColumnType {
  const largest = type === "float4" ? 3.4028235e38 : Number.MAX_VALUE;
  const isKept = (value: number) => type === "float8" || comesBack(value);
  const accepts = (value: Scalar) => (typeof value === "number" && Math.abs(value) <= largest && isKept(value)) || typeof value === "bigint";
  return {
    ...{ place: unchanged, read: asText, write: (parameter: string) => `${parameter}::text::${type}`, decode: readFinite, accepts },
    readable: isFiniteNumber,
    beyond: (value, bindings) => (typeof value === "bigint" ? undefined : writeNumber(value, "float8", bindings)),
    encode(value) {
      if (accepts(value as Scalar)) return String(value);
      throw new Unfit("range", type === "float8" ? `-${largest} to ${largest}` : "at most 6 digits");
    },
  };
}

/** Digits with which each number of 4 bytes differs from all others. */
const singleDigits = 9;

/** Whether a column of 4 bytes shows the number as it was written: it shows the fewest digits that stand for what it stores. */
function comesBack(value: number): boolean {
  const single = Math.fround(value);
  for (let digits = 1; digits < singleDigits; digits++) {
    const shown = Number(single.toPrecision(digits));
    if (Math.fround(shown) === single) return shown === value;
  }
  return Number(single.toPrecision(singleDigits)) === value;
}
