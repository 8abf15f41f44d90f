import { checkJson } from "../../../../ground/http/json/checkJson.js";
import { withoutRounded } from "../../../../ground/http/json/roundedIntegers.js";
import { type ReadDay, utcDay } from "../../../../language/query/values/day.js";
import type { FieldModel } from "../../../../language/schema/field.js";
import { compileScalar, type ReadText } from "../../../../language/schema/scalarText.js";
import { findEarlyFault } from "../../formats/jsonRow.js";

/** Limits of JSON in one cell; a list has at most as many values. */
const jsonLimits = { depth: 64, members: 1_000, values: 20_000 };

/**
 * Compiles how the cells of a column are read: numbers; `true`, `false`, `1` and `0`; arrays as JSON or separated by `|`; objects as JSON. Texts stay as they
 * are, leading zeros included. If a date-time is expected, a date without a time is the first instant of that day.
 */
export function compileCell(field: FieldModel, readDay: ReadDay = utcDay): ReadText {
  switch (field.kind) {
    case "array":
      return readArray(field, readDay);
    case "object":
    case "record":
      return (cell) => (beginsWith(cell, "{") ? parsed(cell) : undefined) ?? cell;
    case "union":
      return readUnion(field, readDay);
    case "unknown":
      return (cell) => (beginsWith(cell, "{[") ? parsed(cell) : undefined) ?? cell;
    default:
      return compileScalar(field, readDay);
  }
}

const unchanged: ReadText = (cell) => cell;

/** The beginning of text that is meant as a JSON array, not as values separated by `|`. */
const jsonArray = /^\s*\[\s*["[{]/;

function readArray({ element }: FieldModel, readDay: ReadDay): ReadText {
  const readElement = element === undefined ? unchanged : compileCell(element, readDay);
  return (cell) => {
    const json = beginsWith(cell, "[") ? parsed(cell) : undefined;
    if (json !== undefined) return json;
    if (jsonArray.test(cell)) return cell;
    const text = cell.trim();
    if (text === "") return [];
    const parts = text.split("|", jsonLimits.values + 1);
    return parts.length > jsonLimits.values ? cell : parts.map((part) => readElement(part.trim()));
  };
}

/**
 * Selects the first alternative whose value would be written exactly like the cell: `7` is a number, but `007` is not. If there is none, the cell stays text;
 * if the union has no text, the first alternative wins that can read the cell.
 */
function readUnion({ members = [] }: FieldModel, readDay: ReadDay): ReadText {
  const readers = members.filter(({ kind }) => kind !== "text" && kind !== "uuid").map((member) => compileCell(member, readDay));
  const takesText = members.some(({ kind }) => kind === "text");
  return (cell) => {
    const values = readers.map((read) => read(cell));
    const same = values.find((value) => value !== cell && isWrittenAs(value, cell));
    if (same !== undefined || takesText) return same ?? cell;
    return values.find((value) => value !== cell) ?? cell;
  };
}

/** An array may also come from text without JSON, as values separated by `|`. */
function isWrittenAs(value: unknown, cell: string): boolean {
  if (Array.isArray(value)) return beginsWith(cell, "[") && parsed(cell) !== undefined;
  return typeof value === "object" || String(value) === cell;
}

function beginsWith(cell: string, characters: string): boolean {
  const first = cell.trimStart().charAt(0);
  return first !== "" && characters.includes(first);
}

/**
 * `undefined` if the cell is not JSON; the cell itself if its JSON exceeds the limits of a body, so that the schema refuses it. Does not check for NUL, lone
 * surrogates and integers that would be rounded; that is done for the whole row.
 */
function parsed(cell: string): unknown {
  const early = findEarlyFault(cell, jsonLimits);
  if (early !== undefined) return early.isJson ? cell : undefined;
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    return undefined;
  }
  try {
    const json = checkJson(value, jsonLimits, false) ? withoutRounded(cell) : undefined;
    return json === undefined ? value : JSON.parse(json);
  } catch {
    return cell;
  }
}
