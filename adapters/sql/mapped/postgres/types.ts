import { ExactDate, microsOf } from "../../../../src/storage/exactDate.js";
import type { ColumnKind } from "../../../../src/storage/model.js";
import type { Scalar } from "../../../../src/storage/scalar.js";
import { formatTimestamp } from "../../engine/postgres/timestamp.js";
import { quoteText } from "../../schema/identifier.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import type { Leaf } from "../leaves.js";

/** The type of a column for the values of a field; `undefined` if the field cannot have such a column. */
export function postgresType({ field }: Pick<Leaf, "field">, column: CatalogColumn, zone: string): ColumnType | undefined {
  if (column.isArray) return field.kind === "json" ? array(column) : undefined;
  switch (column.type) {
    case "int2":
    case "int4":
    case "int8":
      return integer(field.kind, column);
    case "numeric":
      return numeric(field.kind, column);
    case "float4":
    case "float8":
      return field.kind === "number" ? float(column) : undefined;
    case "bool":
      return field.kind === "boolean" ? boolean : undefined;
    case "timestamptz":
      return field.kind === "datetime" ? timestamp(column, undefined) : undefined;
    case "timestamp":
      return field.kind === "datetime" ? timestamp(column, zone) : undefined;
    case "date":
      return field.kind === "text" && field.type === "date" ? date : undefined;
    case "json":
    case "jsonb":
      return field.kind === "json" ? json(column) : undefined;
    case "bytea":
      return field.kind === "text" ? bytea : undefined;
    default:
      return field.kind === "text" && (column.labels !== undefined || texts.has(column.type)) ? textual(column) : undefined;
  }
}

/** Types whose text does not depend on the settings of the connection. */
const texts: ReadonlySet<string> = new Set("text varchar bpchar citext name uuid inet cidr macaddr macaddr8 time timetz ltree bit varbit".split(" "));

const unchanged = (column: string) => column;
const asText = (column: string) => `${column}::text`;
/** The order of code points, for what is a text to clients only. */
const inCodePoints = (column: string) => `(${column}::text collate "C")`;

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
};

const wholeNumber = /^-?(?:0|[1-9]\d*)$/;

function integer(kind: ColumnKind, { type }: CatalogColumn): ColumnType | undefined {
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
    widened: (value) => numberBeyond(value, "numeric"),
    ...{ place: unchanged, read: asText, write: (parameter: string) => `${parameter}::text::${type}`, decode, accepts },
    encode(value) {
      if (accepts(value as Scalar)) return String(value);
      throw new Unfit("range", `${low} to ${high}`);
    },
  };
}

/** A number as text without an exponent. */
function numberBeyond(value: Scalar, type: string): { readonly text: string; readonly type: string } | undefined {
  const isNumber = typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value));
  return isNumber ? { text: typeof value === "bigint" ? String(value) : fullDecimal(value), type } : undefined;
}

const isSafe = (column: string) => `${column} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const isFiniteTime = (column: string) => `isfinite(${column})`;
// PostgreSQL 12 and 13 have no infinite numerics, and no cast of this text to one.
const isFiniteNumber = (column: string) => `${column}::text not in ('NaN', 'Infinity', '-Infinity')`;

const integerDecoders: Readonly<Partial<Record<ColumnKind, (stored: unknown) => unknown>>> = {
  int: readSafe,
  number: readSafe,
  bigint: (stored) => BigInt(String(stored)),
  text: String,
};

function readSafe(stored: unknown): number {
  const value = Number(stored);
  if (Number.isSafeInteger(value)) return value;
  throw new Unreadable(`${String(stored)} is beyond 2^53: use z.bigint() or a text of digits for it`);
}

const plainDecimal = /^-?\d+(?:\.\d+)?$/;

/** Digits of a decimal that a number holds exactly. */
const exactDigits = 15;

function numeric(kind: ColumnKind, { precision, scale = 0 }: CatalogColumn): ColumnType | undefined {
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
    readable: isFiniteNumber,
    accepts,
    widened(value) {
      const text = textOf(value);
      return text === undefined ? undefined : { text, type: "numeric" };
    },
    decode: kind === "text" ? readDecimal : kind === "int" ? readSafe : readFinite,
    encode(value) {
      const text = textOf(value);
      if (text !== undefined && hasDigits(text, precision, scale)) return text;
      throw new Unfit("range", precision === undefined ? undefined : `${precision - scale} digits before the point and ${scale} after it`);
    },
  };
}

/** Whether a decimal has at most the digits of its column, which would round others. */
function hasDigits(text: string, precision: number | undefined, scale: number): boolean {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  return precision === undefined || (fraction.replace(/0+$/, "").length <= scale && whole.replace(/^0+/, "").length <= precision - scale);
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

function float({ type }: CatalogColumn): ColumnType {
  const largest = type === "float4" ? 3.4028234663852886e38 : Number.MAX_VALUE;
  const accepts = (value: Scalar) => (typeof value === "number" && Math.abs(value) <= largest && !vanishes(value)) || typeof value === "bigint";
  // What rounds to zero is an error of the engine.
  const vanishes = (value: number) => type === "float4" && value !== 0 && Math.fround(value) === 0;
  return {
    ...{ place: unchanged, read: asText, write: (parameter: string) => `${parameter}::text::${type}`, decode: readFinite, accepts },
    readable: isFiniteNumber,
    widened: (value) => (typeof value === "number" && Number.isFinite(value) ? { text: String(value), type: "float8" } : undefined),
    encode(value) {
      if (accepts(value as Scalar)) return String(value);
      throw new Unfit("range", `-${largest} to ${largest}`);
    },
  };
}

const boolean: ColumnType = {
  ...{ place: unchanged, read: asText, write: (parameter) => `${parameter}::text::boolean` },
  accepts: (value) => typeof value === "boolean",
  decode: (stored) => stored === "true" || stored === "t" || stored === true,
  encode: String,
};

/** @param zone what a timestamp without time zone means */
function timestamp({ precision = 6, type }: CatalogColumn, zone: string | undefined): ColumnType {
  const at = zone === undefined ? "" : ` at time zone ${quoteText(zone)}`;
  const write = (parameter: string) => (zone === undefined ? `${parameter}::text::timestamptz` : `(${parameter}::text::timestamptz${at})`);
  return {
    place: unchanged,
    // The text of a number does not depend on the settings of the connection.
    read: (column) => `extract(epoch from ${zone === undefined ? column : `(${column}${at})`})::text`,
    write,
    accepts: isInstant,
    readable: isFiniteTime,
    widened: (value) => (value instanceof Date && value.getTime() < firstInstantMs ? { text: "-infinity", type } : undefined),
    decode: readEpoch,
    encode(value) {
      if (isInstant(value)) return exactText(value as Date);
      throw new Unfit("range", "4713 BC to 275760");
    },
    now: zone === undefined ? "clock_timestamp()" : `(clock_timestamp()${at})`,
    isFine: precision > 3,
    same: (column, written, value) =>
      precision > 3 && value instanceof Date && microsOf(value) === undefined ? `date_trunc('milliseconds', ${column}) = ${written()}` : undefined,
  };
}

/** PostgreSQL begins with 4713 BC, and ends after the last instant of a Date. */
const firstInstantMs = Date.UTC(-4712, 0, 1);

function isInstant(value: unknown): boolean {
  return value instanceof Date && value.getTime() >= firstInstantMs;
}

/** A date as text, with its microseconds if it has any. */
export function exactText(date: Date): string {
  const micros = microsOf(date) ?? 0;
  const text = formatTimestamp(date);
  return micros === 0 ? text : text.replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

const epoch = /^(-?)(\d+)(?:\.(\d{1,6}))?/;

/** Seconds since 1970 with up to six digits after the point. */
function readEpoch(stored: unknown): Date {
  const [match, sign, seconds, fraction = ""] = epoch.exec(String(stored)) ?? [];
  if (match === undefined) throw new Unreadable(`${String(stored)} is not an instant`);
  const digits = fraction.padEnd(6, "0");
  const micros = Number(digits.slice(3));
  const ms = Number(seconds) * 1_000 + Number(digits.slice(0, 3));
  if (sign === "" && micros === 0) return new Date(ms);
  if (sign === "") return new ExactDate(ms, micros);
  return micros === 0 ? new Date(-ms) : new ExactDate(-ms - 1, 1_000 - micros);
}

const day = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const date: ColumnType = {
  place: unchanged,
  text: (column) => `((to_json(${column}) #>> '{}') collate "C")`,
  read: (column) => `to_json(${column}) #>> '{}'`,
  write: (parameter) => `${parameter}::text::date`,
  accepts: isDay,
  readable: (column) => `(isfinite(${column}) and ${column} between '0001-01-01' and '9999-12-31')`,
  decode(stored) {
    if (isDay(stored)) return stored;
    throw new Unreadable(`${String(stored)} is not a day of the years 0001 to 9999`);
  },
  encode(value) {
    if (isDay(value)) return value;
    throw new Unfit("range", "0001-01-01 to 9999-12-31");
  },
};

function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !day.test(value) || value.startsWith("0000")) return false;
  const instant = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(value);
}

/** `json` has no operators of its own, and is compared as `jsonb`. */
function json({ type }: CatalogColumn): ColumnType {
  return {
    place: (column) => (type === "json" ? `${column}::jsonb` : column),
    read: asText,
    write: (parameter) => `${parameter}::text::${type}`,
    accepts: () => false,
    decode: (stored) => (typeof stored === "string" ? JSON.parse(stored) : stored),
    encode: (value) => JSON.stringify(value),
    // Keeps white space and the order of members.
    same: (column, written) => (type === "json" ? `${column}::jsonb = ${written()}::jsonb` : undefined),
  };
}

/** An array of scalars, with one dimension. */
function array({ cast }: CatalogColumn): ColumnType {
  return {
    place: (column) => `to_jsonb(${column})`,
    read: (column) => `to_jsonb(${column})::text`,
    write: (parameter) =>
      `case when ${parameter}::text is not null then array(select jsonb_array_elements_text(${parameter}::text::jsonb))::${cast} end`,
    accepts: () => false,
    decode: (stored) => (typeof stored === "string" ? JSON.parse(stored) : stored),
    encode(value) {
      if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) return JSON.stringify(value);
      throw new Unfit("check");
    },
  };
}

const bytea: ColumnType = {
  place: unchanged,
  text: (column) => `(encode(${column}, 'base64') collate "C")`,
  read: (column) => `replace(encode(${column}, 'base64'), e'\\n', '')`,
  write: (parameter) => `decode(${parameter}::text, 'base64')`,
  accepts: () => false,
  decode: String,
  encode(value) {
    if (typeof value === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return value;
    throw new Unfit("check");
  },
};

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const ownOrder = new Set(["text", "varchar", "bpchar", "citext", "uuid", "name"]);

/** Texts, uuids, enums, and types of which only the text is known. */
function textual(column: CatalogColumn): ColumnType {
  const { type, cast, labels, maxLength } = column;
  const isKnown = labels !== undefined || ownOrder.has(type);
  const isComparable = (value: unknown): value is string => {
    if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) return false;
    if (labels !== undefined) return labels.includes(value);
    return type !== "uuid" || uuid.test(value);
  };
  // Its text has the length of the network, also of a single address, which nobody writes.
  const canonical = type === "inet" ? (name: string) => `abbrev(${name})` : asText;
  const isTooLong = (text: string) => maxLength !== undefined && text.length > maxLength && [...text].length > maxLength;
  return {
    // Other types are compared as texts: a text that is none of the type would be an error of the engine.
    place: isKnown ? unchanged : canonical,
    ...((type !== "text" && type !== "varchar") || !column.isDeterministic ? { text: (name: string) => `(${canonical(name)} collate "C")` } : {}),
    compare: (parameter) => (isKnown ? `${parameter}::text::${cast}` : `${parameter}::text`),
    read: canonical,
    write: (parameter) => `${parameter}::text::${cast}`,
    accepts: (value) => isComparable(value) && !isTooLong(value),
    widened: (value) => (isComparable(value) ? { text: value, type: isKnown ? cast : "text" } : undefined),
    decode: String,
    encode(value) {
      const text = String(value);
      if (isTooLong(text)) throw new Unfit("too-long", String(maxLength));
      if (!isComparable(text)) throw labels === undefined ? new Unfit("check") : new Unfit("range", labels.join(", "));
      return text;
    },
  };
}
