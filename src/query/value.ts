import type { FieldModel } from "../schema/field.js";
import { parseDateTime, toInt64 } from "../schema/wire.js";
import type { Scalar } from "../storage/scalar.js";

/** A typed value, a whole day of a date-time field, or what should have stood there. */
export type ParsedValue = { readonly value: Scalar } | { readonly day: readonly [from: Date, until: Date] } | { readonly expected: string };

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?(?:0|[1-9]\d*)$/;
const date = /^\d{4}-\d{2}-\d{2}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dayMs = 86_400_000;

/** Reads a query value by the type of its field; never guesses and never rounds. */
export function parseValue(field: FieldModel, text: string): ParsedValue {
  switch (field.kind) {
    case "text":
      return { value: text };
    case "uuid":
      return uuid.test(text) ? { value: text } : { expected: "a UUID" };
    case "enum":
      return parseEnum(field, text);
    case "int":
      return integer.test(text) && Number.isSafeInteger(Number(text)) ? { value: Number(text) } : { expected: "an integer" };
    case "number":
      return number.test(text) && Number.isFinite(Number(text)) ? { value: Number(text) } : { expected: "a number" };
    case "bigint":
      return parseInt64(text);
    case "boolean":
      return parseBoolean(text);
    case "date":
      return date.test(text) && parseDateTime(`${text}T00:00:00Z`) ? { value: text } : { expected: "a date (YYYY-MM-DD)" };
    case "datetime":
      return parseInstant(text);
    case "union":
      return parseUnion(field.members ?? [], text);
    default:
      return { expected: "nothing: this field takes no value" };
  }
}

function parseEnum(field: FieldModel, text: string): ParsedValue {
  const value = field.values?.find((allowed) => String(allowed) === text);
  return value === undefined ? { expected: `one of ${field.values?.map(String).join(", ")}` } : { value };
}

function parseInt64(text: string): ParsedValue {
  const value = toInt64(text);
  return value === undefined ? { expected: "an integer of 64 bits" } : { value };
}

function parseBoolean(text: string): ParsedValue {
  if (text === "true" || text === "1") return { value: true };
  if (text === "false" || text === "0") return { value: false };
  return { expected: "true or false" };
}

/** A date alone means the whole day, in UTC. A `+` of an offset that was not encoded arrives as a space: it is put back. */
function parseInstant(text: string): ParsedValue {
  if (date.test(text)) {
    const from = parseDateTime(`${text}T00:00:00Z`);
    if (from) return { day: [from, new Date(from.getTime() + dayMs)] };
  }
  const instant = parseDateTime(text.replace(/ (\d{2}:\d{2})$/, "+$1"));
  return instant ? { value: instant } : { expected: "a date (YYYY-MM-DD) or a date-time with Z or an offset" };
}

/** The first member that accepts, text last: it accepts everything. */
function parseUnion(members: readonly FieldModel[], text: string): ParsedValue {
  const ordered = [...members].sort((left, right) => Number(left.kind === "text") - Number(right.kind === "text"));
  const expected: string[] = [];
  for (const member of ordered) {
    const parsed = parseValue(member, text);
    if (!("expected" in parsed)) return parsed;
    expected.push(parsed.expected);
  }
  return { expected: expected.join(" or ") };
}
