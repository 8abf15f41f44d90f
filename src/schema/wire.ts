import { z } from "zod";
import { isObject } from "../http/isObject.js";
import { ConfigurationError } from "../problem/index.js";
import { isFinerThanRows } from "./dateTimeForm.js";
import { dateTimeText } from "./dateTimeText.js";
import type { FieldModel } from "./field.js";
import { foldUuid } from "./uuid.js";

/** Converts a value of a request body to the input of the zod type, or a validated value to the value of a row. */
export type Convert = (value: unknown) => unknown;

type ConverterOf = (field: FieldModel) => Convert | undefined;

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const decimalInteger = /^-?(?:0|[1-9]\d*)$/;

/**
 * The instant of an RFC 3339 date-time, with or without seconds; `undefined` if the text is not one.
 *
 * `Date.parse` alone accepts almost anything and turns 30 February into March; the pattern and the day check prevent that.
 */
export function parseDateTime(text: string): Date | undefined {
  if (text.length > 40 || !dateTime.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const year = date.getUTCFullYear();
  // An offset can move the instant out of the years that four digits can express.
  return day.getUTCDate() === Number(text.slice(8, 10)) && year >= 0 && year <= 9_999 ? date : undefined;
}

/**
 * Body value → zod input, if the two differ: `z.date()` reads date-time text, `z.bigint()` reads digits. `undefined` if no conversion is needed.
 * An invalid text stays unchanged, so that zod reports the fault.
 *
 * @param readDateTime {@link givenDateTime} for values that no row holds
 */
export function inputConverter(field: FieldModel, readDateTime = rowDateTime): Convert | undefined {
  if (field.readsDate) return (value) => readDate(value, field.nullable);
  if (field.kind === "datetime") return (value) => (typeof value === "string" ? readDateTime(field, value) : value);
  if (field.kind === "bigint") return readBigInt;
  if (field.kind === "uuid") return foldUuid;
  const converterOf: ConverterOf = (below) => inputConverter(below, readDateTime);
  return field.members ? unionConverter(field.members, converterOf) : nested(field, converterOf);
}

/** Converts as the first member of a union that accepts the result; if none does, as the only one that its discriminator allows, whose faults are told. */
function unionConverter(members: readonly FieldModel[], converterOf: ConverterOf): Convert | undefined {
  // A text of no format accepts UUIDs too. Filters read it last as well.
  const texts = members.some(({ kind }) => kind === "uuid") ? members.filter(({ kind }) => kind === "text") : [];
  const converters = [...members.filter((member) => !texts.includes(member)), ...texts].map((member) => [member, converterOf(member)] as const);
  if (converters.every(([, convert]) => convert === undefined)) return undefined;
  return (value) => {
    const results: unknown[] = [];
    for (const [{ schema }, convert] of converters) {
      const discriminators = Object.entries(schema._zod.propValues ?? {});
      if (!discriminators.every(([name, values]) => isObject(value) && values.has(value[name] as never))) continue;
      const converted = convert ? convert(value) : value;
      if (accepts(schema, converted)) return converted;
      results.push(converted);
    }
    return results.length === 1 ? results[0] : value;
  };
}

/** Asynchronous checks are left to the validation. */
function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  try {
    return z.safeParse(schema, value).success;
  } catch {
    return true;
  }
}

/** Validated value → row value: a top-level date-time is a Date, everything inside JSON is JSON. `undefined` if no conversion is needed. */
export function rowConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") return (value) => (typeof value === "string" ? toInstant(field, value) : value);
  return valueConverter(field);
}

/** Row value → JSON value. Dates become text here: `JSON.stringify` would call `toJSON` of each, which takes ten times as long. */
export function outputConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") {
    const { text = dateTimeText } = field.dateTime ?? {};
    return (value) => (value instanceof Date ? text(value) : value);
  }
  return field.kind === "bigint" ? bigintText : undefined;
}

function jsonConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "datetime") return (value) => utcText(field, value);
  return field.kind === "bigint" ? bigintText : valueConverter(field);
}

function valueConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "uuid") return foldUuid;
  const fold = field.members && uuidConverter(field);
  if (fold) return (value) => plainJson(fold(value));
  return field.scalar?.toRow ?? nested(field, jsonConverter) ?? (field.kind === "unknown" || field.kind === "union" ? plainJson : undefined);
}

/** Folds UUIDs only: what a default, a transform or a hook made has not been a body. */
function uuidConverter(field: FieldModel): Convert | undefined {
  if (field.kind === "uuid") return foldUuid;
  return field.members ? unionConverter(field.members, uuidConverter) : nested(field, uuidConverter);
}

/** One spelling for every instant inside JSON: text in UTC sorts as the instants do. */
function utcText(field: FieldModel, value: unknown): unknown {
  const instant = typeof value === "string" ? toInstant(field, value) : value;
  return instant instanceof Date ? (field.dateTime?.text(instant) ?? instant.toISOString()) : instant;
}

/** The text in the form of the field: the schema may refuse offsets and other fractions of a second. Empty, which it refuses too, if that form cannot express the instant. */
function rowDateTime({ dateTime }: FieldModel, text: string): string {
  const instant = isFinerThanRows(text) ? undefined : parseDateTime(text);
  return instant === undefined || instant.getTime() % (dateTime?.unitMs ?? 1) !== 0 ? "" : (dateTime?.text(instant) ?? text);
}

/** The text as it was given, for code that gets it as such; in the form of its type only if that refuses it. */
export function givenDateTime(field: FieldModel, text: string): string {
  if (parseDateTime(text) === undefined) return "";
  return field.dateTime?.accepts(text) ? text : rowDateTime(field, text);
}

/** @throws {ConfigurationError} for digits that the row would lose: clients are refused before, so that the text comes from a default, a transform or a hook */
function toInstant({ name }: FieldModel, text: string): Date {
  if (isFinerThanRows(text)) throw new ConfigurationError(`The date-time "${text}" of "${name}" has digits below a millisecond, which no row holds.`);
  return new Date(text);
}

const noDate = new Date(Number.NaN);

/** Anything but a date-time becomes an invalid Date, which every date schema refuses: `z.coerce.date()` would accept `1` and `true`, in the server's time zone. */
function readDate(value: unknown, nullable: boolean): unknown {
  if (value === undefined || (value === null && nullable) || value instanceof Date) return value;
  return (typeof value === "string" && !isFinerThanRows(value) ? parseDateTime(value) : undefined) ?? noDate;
}

/** The integer of the digits if it fits into 64 bits; no store holds more. */
export function toInt64(text: string): bigint | undefined {
  if (text.length > 20 || !decimalInteger.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const bigintText = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function readBigInt(value: unknown): unknown {
  // A bigint from code that does not fit becomes text, which the schema refuses.
  const text = bigintText(value);
  if (typeof text === "string") return toInt64(text) ?? text;
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** After a transform, a schema without a type may contain a Date or a bigint: only JSON values are kept. */
function plainJson(value: unknown): unknown {
  if (value === null || typeof value !== "object") return bigintText(value);
  return JSON.parse(JSON.stringify(value, (_, member) => bigintText(member)));
}

function nested(field: FieldModel, converterOf: ConverterOf): Convert | undefined {
  if (field.element) return eachElement(field, converterOf(field.element));
  if (!field.children) return undefined;
  const converters = [...field.children.values()].flatMap((child) => {
    const convert = converterOf(child);
    return convert ? [[child.name, convert] as const] : [];
  });
  if (converters.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = { ...value };
    for (const [name, convert] of converters) if (Object.hasOwn(copy, name)) copy[name] = convert(copy[name]);
    return copy;
  };
}

function eachElement(field: FieldModel, convert: Convert | undefined): Convert | undefined {
  if (!convert) return undefined;
  if (field.kind === "array") return (value) => (Array.isArray(value) ? value.map(convert) : value);
  return (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)])) : value);
}
