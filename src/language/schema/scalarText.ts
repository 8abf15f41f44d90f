import { integerOf } from "../../ground/http/json/roundedIntegers.js";
import { type ReadDay, utcDay } from "../query/values/day.js";
import type { FieldModel } from "./field.js";

/** Converts text to a JSON value. If it cannot, it returns the text, so that the schema reports the fault; an integer that would be rounded becomes another text, which no body may contain. */
export type ReadText = (text: string) => unknown;

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const wholeNumber = /^[+-]?\d+$/;

/**
 * Compiles how the values of a field are read from formats that have only text, such as CSV and forms: numbers; `true`, `false`, `1` and `0`. Texts stay as they are,
 * leading zeros included. If a date-time is expected, a date without a time is the first instant of that day. Arrays, objects and unions stay text.
 */
export function compileScalar(field: FieldModel, readDay: ReadDay = utcDay): ReadText {
  switch (field.kind) {
    case "int":
      return readInt;
    case "number":
      return readNumber;
    case "boolean":
      return readBoolean;
    case "bigint":
    case "decimal":
    case "date":
      return (text) => text.trim();
    case "datetime":
      return (text) => readDay(text.trim())?.from.toISOString() ?? text.trim();
    case "enum":
      return readEnum(field);
    default:
      return (text) => text;
  }
}

/** Whether the empty text can be a value of the field. */
export function takesEmptyText({ kind, values = [], members = [] }: FieldModel): boolean {
  return kind === "text" || kind === "unknown" || (kind === "enum" && values.includes("")) || (kind === "union" && members.some(takesEmptyText));
}

function readInt(given: string): unknown {
  const text = given.trim();
  return wholeNumber.test(text) ? finiteOr(given, integerOf(text)) : given;
}

/** The number of a text, as `compileScalar` reads it for a field of numbers. */
export function readNumber(given: string): unknown {
  const text = given.trim();
  if (!decimal.test(text)) return given;
  return finiteOr(given, wholeNumber.test(text) ? integerOf(text) : Number(text));
}

function finiteOr(given: string, value: number | string): number | string {
  return typeof value === "string" || Number.isFinite(value) ? value : given;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readBoolean(given: string): unknown {
  return booleans.get(given) ?? booleans.get(given.trim().toLowerCase()) ?? given;
}

/** Values of an enum may be numbers or booleans, written as text. */
function readEnum({ values = [] }: FieldModel): ReadText {
  if (values.every((value) => typeof value === "string")) return (text) => text;
  const known = new Map(values.map((value) => [String(value), value]));
  return (text) => known.get(text) ?? known.get(text.trim()) ?? text;
}
