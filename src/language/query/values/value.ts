import { uuid } from "../../../ground/problem/problem.js";
import { ExactDate } from "../../../ground/storage/values/exactDate.js";
import type { Scalar } from "../../../ground/storage/values/scalar.js";
import type { FieldModel } from "../../schema/field.js";
import { parseDateTime, toInt64 } from "../../schema/wire.js";
import { type Day, isDay, type ReadDay } from "./day.js";
import { isInteger, isNumber } from "./number.js";

/** A value of a condition: typed, or a whole day of a date-time field. */
export type ConditionValue = { readonly value: Scalar } | { readonly day: Day };

/** A value, or a description of what is expected. */
export type ParsedValue = ConditionValue | { readonly expected: string };

/** Parses the text of a query value by the type of its field; never guesses and never rounds. */
export function parseValue(field: FieldModel, text: string, readDay: ReadDay): ParsedValue {
  switch (field.kind) {
    case "text":
      return parseText(field, text);
    case "uuid":
      return uuid.test(text) ? { value: text.toLowerCase() } : { expected: "a UUID" };
    case "enum":
      return parseEnum(field, text);
    case "int":
      return isInteger(text) ? fromInteger(Number(text)) : { expected: "an integer" };
    case "number":
      return isNumber(text) ? fromNumber(Number(text)) : { expected: "a number" };
    case "bigint":
      return fromInt64(toInt64(text));
    case "decimal":
      return parseScalar(field, text);
    case "boolean":
      return parseBoolean(text);
    case "date":
      return isDay(text) ? { value: text } : { expected: "a date (YYYY-MM-DD)" };
    case "datetime":
      return parseInstant(text, readDay);
    case "union":
      return firstOf(field.members ?? [], (member) => parseValue(member, text, readDay));
    default:
      return { expected: "nothing: this field takes no value" };
  }
}

/** Reads a value of a JSON body: numbers and booleans have types of their own there. */
export function readValue(field: FieldModel, value: unknown, readDay: ReadDay): ParsedValue {
  switch (field.kind) {
    case "enum":
      return field.values?.some((allowed) => allowed === value) ? { value: value as Scalar } : readText(field, value, readDay, "string");
    case "int":
      return typeof value === "number" ? fromInteger(value) : { expected: "an integer" };
    case "number":
      return typeof value === "number" ? fromNumber(value) : { expected: "a number" };
    case "bigint":
      return typeof value === "number" && Number.isSafeInteger(value) ? { value: BigInt(value) } : readText(field, value, readDay, "bigint");
    case "boolean":
      return typeof value === "boolean" ? { value } : { expected: "true or false" };
    case "union":
      return firstOf(field.members ?? [], (member) => readValue(member, value, readDay));
    case "datetime":
      return value instanceof Date && !Number.isNaN(value.getTime()) ? { value } : readText(field, value, readDay, "string");
    default:
      return readText(field, value, readDay, "string");
  }
}

/** What stands in quotes is read as in a query string. An enumeration of numbers takes no texts. */
function readText(field: FieldModel, value: unknown, readDay: ReadDay, type: "string" | "bigint"): ParsedValue {
  if (type === "bigint" && typeof value === "bigint") return fromInt64(toInt64(value.toString()));
  if (field.kind === "enum") return noneOf(field);
  if (typeof value === "string") return parseValue(field, value, readDay);
  return { expected: field.kind === "text" ? "a text" : expectationOf(field, readDay) };
}

function expectationOf(field: FieldModel, readDay: ReadDay): string {
  const parsed = parseValue(field, "", readDay);
  return "expected" in parsed ? parsed.expected : "a text";
}

function parseScalar({ scalar }: FieldModel, text: string): ParsedValue {
  const value = scalar?.parse(text);
  return value === undefined ? { expected: scalar?.expected ?? "" } : { value };
}

/** A format is checked, other refinements are not: a filter is not a record. */
function parseText({ format, formatPattern }: FieldModel, text: string): ParsedValue {
  const fits = formatPattern === undefined || text === "" || formatPattern.test(text);
  return fits ? { value: text } : { expected: `of the format ${format}` };
}

function parseEnum(field: FieldModel, text: string): ParsedValue {
  const { values = [] } = field;
  for (const value of values) if (value === text || String(value) === text) return { value };
  return noneOf(field);
}

function noneOf({ values = [] }: FieldModel): ParsedValue {
  return { expected: `one of ${values.map(String).join(", ")}` };
}

function fromInteger(value: number): ParsedValue {
  return Number.isSafeInteger(value) ? { value } : { expected: "an integer from -(2^53 - 1) to 2^53 - 1" };
}

function fromNumber(value: number): ParsedValue {
  return Number.isFinite(value) ? { value } : { expected: "a number" };
}

function fromInt64(value: bigint | undefined): ParsedValue {
  return value === undefined ? { expected: "an integer of 64 bits" } : { value };
}

/** `true`, `false`, `1` or `0`. */
export function parseBoolean(text: string): ParsedValue {
  if (text === "true" || text === "1") return { value: true };
  if (text === "false" || text === "0") return { value: false };
  return { expected: "true or false" };
}

/** A date alone means the whole day. A `+` of an offset that was not encoded arrives as a space: it is put back. */
function parseInstant(text: string, readDay: ReadDay): ParsedValue {
  const day = text.length === 10 ? readDay(text) : undefined;
  if (day !== undefined) return { day };
  const repaired = text.charAt(text.length - 6) === " " ? `${text.slice(0, -6)}+${text.slice(-5)}` : text;
  const instant = parseDateTime(repaired);
  return instant ? { value: exactInstant(instant, repaired) } : { expected: "a date (YYYY-MM-DD) or a date-time with Z or an offset" };
}

const belowMillisecond = /\.\d{3}(\d{1,6})/;

/** The instant with its digits below a millisecond, which are up to six. */
function exactInstant(instant: Date, text: string): Date {
  const digits = belowMillisecond.exec(text)?.[1] ?? "";
  const micros = Number(digits.padEnd(6, "0")) / 1_000;
  return micros === 0 ? instant : new ExactDate(instant.getTime(), micros);
}

/** The first member that accepts, text last: it accepts everything. */
function firstOf(members: readonly FieldModel[], read: (member: FieldModel) => ParsedValue): ParsedValue {
  const expected: string[] = [];
  for (const text of [false, true]) {
    for (const member of members) {
      if ((member.kind === "text") !== text) continue;
      const parsed = read(member);
      if (!("expected" in parsed)) return parsed;
      expected.push(parsed.expected);
    }
  }
  return { expected: expected.join(" or ") };
}

/** The end of a range need not have the format of a whole value: `email[gte]=a`. */
export function withoutFormat(field: FieldModel): FieldModel {
  return field.formatPattern === undefined ? field : { ...field, formatPattern: undefined };
}
