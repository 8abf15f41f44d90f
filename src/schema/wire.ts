import type { FieldModel } from "./field.js";

/** Turns a value of a request body into what the zod type takes, or a validated value into what a row keeps. */
export type Convert = (value: unknown) => unknown;

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const decimalInteger = /^-?(?:0|[1-9]\d*)$/;

/**
 * The instant of an RFC 3339 date-time with seconds or without, or `undefined`.
 *
 * `Date.parse` alone takes almost anything and rolls 30 February over to March; the pattern and the day check shut that out.
 */
export function parseDateTime(text: string): Date | undefined {
  if (text.length > 40 || !dateTime.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const year = date.getUTCFullYear();
  // An offset can push the instant out of the years that four digits can write.
  return day.getUTCDate() === Number(text.slice(8, 10)) && year >= 0 && year <= 9_999 ? date : undefined;
}

/**
 * Body value → zod input, where the two differ: `z.date()` reads date-time text, `z.bigint()` reads digits. `undefined` where nothing needs doing.
 * A text that is none stays as it is, so that zod names the fault.
 */
export function inputConverter(field: FieldModel): Convert | undefined {
  if (field.readsDate) return (value) => readDate(value, field.nullable);
  if (field.kind === "datetime") return (value) => (typeof value === "string" && parseDateTime(value) === undefined ? "" : value);
  if (field.kind === "bigint") return readBigInt;
  return nested(field, inputConverter);
}

/** Validated value → row value: a top-level date-time is a Date, everything inside JSON is JSON. `undefined` where nothing needs doing. */
export function rowConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") return (value) => (typeof value === "string" ? new Date(value) : value);
  return nested(field, jsonConverter) ?? (field.kind === "unknown" || field.kind === "union" ? plainJson : undefined);
}

/** Row value → JSON value. Dates write themselves; only a bigint needs help. */
export function outputConverter(field: FieldModel): Convert | undefined {
  return field.kind === "bigint" ? (value) => (typeof value === "bigint" ? value.toString() : value) : undefined;
}

function jsonConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") return utcText;
  if (field.kind === "bigint") return (value) => (typeof value === "bigint" ? value.toString() : value);
  return nested(field, jsonConverter) ?? (field.kind === "unknown" || field.kind === "union" ? plainJson : undefined);
}

/** One spelling for every instant inside JSON: text in UTC sorts as the instants do. */
function utcText(value: unknown): unknown {
  const instant = typeof value === "string" ? new Date(value) : value;
  return instant instanceof Date ? instant.toISOString() : instant;
}

const noDate = new Date(Number.NaN);

/** What is no date-time becomes an invalid Date, which every date schema refuses: `z.coerce.date()` would take `1` and `true`, in the server's time zone. */
function readDate(value: unknown, nullable: boolean): unknown {
  if (value === undefined || (value === null && nullable) || value instanceof Date) return value;
  return (typeof value === "string" ? parseDateTime(value) : undefined) ?? noDate;
}

/** The integer that the digits mean, where 64 bits hold it: no store keeps more. */
export function toInt64(text: string): bigint | undefined {
  if (text.length > 20 || !decimalInteger.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function readBigInt(value: unknown): unknown {
  if (typeof value === "string") return toInt64(value) ?? value;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A schema that says nothing of its values may hold a Date or a bigint after a transform: only what JSON can say is kept. */
function plainJson(value: unknown): unknown {
  if (value === null || typeof value !== "object") return typeof value === "bigint" ? value.toString() : value;
  return JSON.parse(JSON.stringify(value, (_, member) => (typeof member === "bigint" ? member.toString() : member)));
}

function nested(field: FieldModel, converterOf: (field: FieldModel) => Convert | undefined): Convert | undefined {
  if (field.element) return eachElement(field, converterOf(field.element));
  if (!field.children) return undefined;
  const converters = [...field.children.values()].flatMap((child) => {
    const convert = converterOf(child);
    return convert ? [[child.name, convert] as const] : [];
  });
  if (converters.length === 0) return undefined;
  return (value) => {
    if (!isPlainObject(value)) return value;
    const copy: Record<string, unknown> = { ...value };
    for (const [name, convert] of converters) if (Object.hasOwn(copy, name)) copy[name] = convert(copy[name]);
    return copy;
  };
}

function eachElement(field: FieldModel, convert: Convert | undefined): Convert | undefined {
  if (!convert) return undefined;
  if (field.kind === "array") return (value) => (Array.isArray(value) ? value.map(convert) : value);
  return (value) => (isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)])) : value);
}

/** An object that JSON could have made. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
