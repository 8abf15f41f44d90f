import type { ColumnKind, MappedField } from "../../../../../src/ground/storage/model.js";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import { isBase64 } from "../../../../../src/ground/storage/values/base64.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../../engine/bindings.js";
import { toBytes } from "../../engine/bytes.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import type { Leaf } from "../leaves.js";
import { readJson } from "../readJson.js";
import { uuidText } from "../uuids.js";
import { exactDouble } from "./exactDouble.js";
import { aboveAllNumbers, isNumber, unchanged } from "./expressions.js";
import { epoch, isoText, mixed } from "./instants.js";

type Affinity = "integer" | "text" | "none" | "real" | "numeric";

/** The affinity that SQLite derives from a declared type. */
export function affinityOf(declared: string): Affinity {
  if (declared.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(declared)) return "text";
  if (declared === "" || declared.includes("BLOB")) return "none";
  return /REAL|FLOA|DOUB/.test(declared) ? "real" : "numeric";
}

/** The type of a column for the values of a field; `undefined` if the field cannot have such a column. */
export function sqliteType(leaf: Pick<Leaf, "field" | "as" | "write">, column: CatalogColumn, { zone }: TableOptions): ColumnType | undefined {
  const { field, as, write = "epoch-ms" } = leaf;
  const affinity = affinityOf(column.type);
  if (as !== undefined && (field.kind !== "datetime" || affinity === "text")) return undefined;
  if (as !== undefined) return as === "mixed" ? mixed(write, zone) : epoch(as);
  const isFlag = column.type.startsWith("BOOL");
  switch (field.kind) {
    case "int":
    case "bigint":
      return affinity === "text" || isFlag ? undefined : integer(field.kind);
    case "number":
      return affinity === "text" || isFlag ? undefined : number;
    case "boolean":
      return affinity === "text" ? undefined : boolean;
    case "datetime":
      return affinity === "integer" || affinity === "real" || isFlag ? undefined : isoText(zone);
    case "json":
      return affinity === "integer" || affinity === "real" ? undefined : json(field);
    case "decimal":
      return affinity === "numeric" && !isFlag ? exactDouble(field) : undefined;
    case "text":
      return textType(field, column, affinity);
  }
}

function textType({ type, labels }: Leaf["field"], column: CatalogColumn, affinity: Affinity): ColumnType | undefined {
  if (affinity === "integer") return digits;
  if (column.type.includes("BLOB")) return blob;
  if (affinity === "real") return undefined;
  // A column with numeric affinity would store "007" as 7.
  const isSafe = type === "date" || type === "uuid" || labels?.every((label) => label.trim() !== "" && Number.isNaN(Number(label)));
  if (affinity === "numeric" && !isSafe) return undefined;
  if (type === "uuid") return uuidText(text(column.collation), column);
  return type === "date" ? day : text(column.collation);
}

const plain = { place: unchanged, read: unchanged, write: unchanged };

const lowest = -(2n ** 63n);
const highest = 2n ** 63n - 1n;

/** @param value a bigint or safe integer of 64 bits */
function toInt64(value: unknown): bigint | undefined {
  const integer = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof integer === "bigint" && lowest <= integer && integer <= highest ? integer : undefined;
}

/** Columns of numbers have an order with all numbers, also with those that they cannot contain. */
function anyNumber(value: Scalar, bindings: Bindings): string | undefined {
  if (typeof value === "bigint") return bindings.bind(Number(value));
  return typeof value === "number" && !Number.isNaN(value) ? bindings.bind(value) : undefined;
}

function integer(kind: ColumnKind): ColumnType {
  return {
    ...plain,
    beyond: anyNumber,
    valued: aboveAllNumbers,
    accepts: (value) => toInt64(value) !== undefined,
    readable: kind === "bigint" ? isInteger : (column) => `(${isInteger(column)} and ${isSafe(column)})`,
    encode(value) {
      const bound = toInt64(value);
      if (bound === undefined) throw new Unfit("range", `${lowest} to ${highest}`);
      return bound;
    },
    decode: kind === "bigint" ? readInteger : (stored) => readSafe(stored),
  };
}

const isInteger = (column: string) => `(${isNumber(column)} and ${column} = cast(${column} as integer))`;
const isSafe = (column: string) => `${column} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const isBounded = (column: string) => `${column} between ${-Number.MAX_VALUE} and ${Number.MAX_VALUE}`;

function readInteger(stored: unknown): bigint {
  if (typeof stored === "bigint") return stored;
  if (typeof stored === "number" && Number.isInteger(stored)) return BigInt(stored);
  throw new Unreadable(`it is ${className(stored)}, not an integer`);
}

function readSafe(stored: unknown): number {
  const value = Number(readInteger(stored));
  if (Number.isSafeInteger(value)) return value;
  throw new Unreadable(`${String(stored)} is beyond 2^53: use z.bigint() or a text of digits for it`);
}

const number: ColumnType = {
  ...plain,
  beyond: anyNumber,
  valued: aboveAllNumbers,
  accepts: (value) => (typeof value === "number" && Number.isFinite(value)) || toInt64(value) !== undefined,
  readable: (column) => `case typeof(${column}) when 'integer' then ${isSafe(column)} when 'real' then ${isBounded(column)} else false end`,
  encode(value) {
    if (typeof value === "number" && Number.isFinite(value)) return Number.isSafeInteger(value) ? BigInt(value) : value;
    const bound = toInt64(value);
    if (bound === undefined) throw new Unfit("range");
    return bound;
  },
  decode(stored) {
    if (typeof stored === "bigint") return readSafe(stored);
    if (typeof stored === "number" && Number.isFinite(stored)) return stored;
    throw new Unreadable(`it is ${className(stored)}, not a finite number`);
  },
};

const boolean: ColumnType = {
  ...plain,
  valued: aboveAllNumbers,
  accepts: (value) => typeof value === "boolean",
  readable: (column) => `(${isNumber(column)} and ${column} in (0, 1))`,
  encode: (value) => (value === true ? 1n : 0n),
  decode(stored) {
    if (stored === 0n || stored === 1n || stored === 0 || stored === 1) return Number(stored) === 1;
    throw new Unreadable(`it is ${className(stored)}, not 0 or 1`);
  },
};

const canonicalInteger = /^-?(?:0|[1-9]\d*)$/;

function integerOf(value: unknown): bigint | undefined {
  if (typeof value !== "string" || value.length > 20 || !canonicalInteger.test(value) || value === "-0") return undefined;
  return toInt64(BigInt(value));
}

/** Integers that clients see as texts of digits. */
const digits: ColumnType = {
  ...plain,
  valued: aboveAllNumbers,
  text: (column) => `cast(${column} as text)`,
  compare: (parameter) => `cast(${parameter} as integer)`,
  accepts: (value) => integerOf(value) !== undefined,
  readable: isInteger,
  encode(value) {
    const bound = integerOf(value);
    if (bound === undefined) throw new Unfit("range", `${lowest} to ${highest}`);
    return bound;
  },
  decode: (stored) => String(readInteger(stored)),
};

function text(collation: string | undefined): ColumnType {
  const isBinary = collation === undefined;
  return {
    ...plain,
    ...(!isBinary && { text: (column: string) => `(${column} collate binary)`, sortKey: sortKeys[collation] }),
    accepts: isText,
    readable: (column) => `typeof(${column}) = 'text'`,
    encode(value) {
      if (isText(value)) return value;
      throw new Unfit("check");
    },
    decode(stored) {
      if (typeof stored === "string") return stored;
      throw new Unreadable(`it is ${className(stored)}, not a text`);
    },
  };
}

/** Expressions whose code points are in the order of a collation. */
const sortKeys: Readonly<Record<string, (column: string) => string>> = {
  NOCASE: (column) => `lower(${column})`,
  RTRIM: (column) => `rtrim(${column}, ' ')`,
};

function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

const writtenDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !writtenDay.test(value)) return false;
  const instant = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(value);
}

const day: ColumnType = {
  ...plain,
  accepts: isDay,
  readable: (column) => `(typeof(${column}) = 'text' and length(${column}) = 10 and date(${column}) is ${column})`,
  encode(value) {
    if (isDay(value)) return value;
    throw new Unfit("range", "0000-01-01 to 9999-12-31");
  },
  decode(stored) {
    if (isDay(stored)) return stored;
    throw new Unreadable("it is not a day such as 2026-01-31");
  },
};

/**
 * Whether JSON has a number that `readJson` refuses. Up to 15 digits and zeros behind them are never rounded. The engine keeps integers of 64 bits; of larger numbers
 * with more digits it cannot tell which double they are, so they count too.
 */
function hasRounded(column: string): string {
  const digits = `length(rtrim(ltrim(${column} -> fullkey, '-'), '0'))`;
  const isExact = `type = 'integer' and atom between -9223372036854774784 and 9223372036854774784 and cast(cast(atom as real) as integer) = atom`;
  const isRounded = `abs(cast(atom as real)) > 1.7976931348623157e308 or (${digits} > 15 and not (${isExact}))`;
  const isLarge = "type in ('integer', 'real') and atom not between -9007199254740991 and 9007199254740991";
  return `case when json_valid(${column}) then exists (select 1 from json_tree(${column}) where ${isLarge} and (${isRounded})) else ${column} is not null end`;
}

/** The drivers return JSON of a blob as bytes, so the engine reads it as text. */
const json = (field: MappedField): ColumnType => ({
  ...plain,
  read: (column) => `case when typeof(${column}) = 'blob' and ${isJson(column)} then json(${column}) else ${column} end`,
  readable: isJson,
  valued: (column) => `${column} is not null`,
  present: (column) => `case when ${isJson(column)} then json_type(${column}) <> 'null' else ${column} is not null end`,
  accepts: () => false,
  encode: (value) => JSON.stringify(value),
  unreadable: hasRounded,
  decode(stored) {
    try {
      return readJson(String(stored), field);
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable("it is not JSON", { cause: error });
    }
  },
});

/** JSON as text, or as SQLite itself writes it as a blob. */
function isJson(column: string): string {
  return `json_valid(${column}, 9)`;
}

/** Drivers bind empty bytes as null, so bytes are bound as hexadecimal text. */
const blob: ColumnType = {
  ...plain,
  write: (parameter) => `unhex(${parameter})`,
  accepts: () => false,
  readable: (column) => `typeof(${column}) = 'blob'`,
  encode(value) {
    if (typeof value === "string" && isBase64(value)) return Buffer.from(value, "base64").toString("hex");
    throw new Unfit("check", "base64 with padding, whose unused bits are 0");
  },
  decode(stored) {
    if (stored instanceof Uint8Array || stored instanceof ArrayBuffer) return Buffer.from(toBytes(stored)).toString("base64");
    throw new Unreadable(`it is ${className(stored)}, not a blob`);
  },
};

/** What a value in the database is. */
export function className(stored: unknown): string {
  if (typeof stored === "string") return "a text";
  return typeof stored === "bigint" || typeof stored === "number" ? "a number" : "a blob";
}
