import { checkJson } from "../http/json.js";
import type { FieldModel } from "../schema/field.js";

/** Turns the text of a cell into what a JSON body would have said. What it cannot be stays text, so that the schema names the fault. */
export type ReadCell = (cell: string) => unknown;

/** What JSON in one cell may be. */
const jsonLimits = { depth: 64, members: 1_000, values: 20_000 };

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const wholeNumber = /^[+-]?\d+$/;

/**
 * How cells of a column are read: numbers, `true`, `false`, `1` and `0`, arrays as JSON or separated by `|`, objects as JSON. Texts stay as they are,
 * leading zeros included.
 */
export function compileCell(field: FieldModel): ReadCell {
  switch (field.kind) {
    case "int":
      return readInt;
    case "number":
      return readNumber;
    case "boolean":
      return readBoolean;
    case "bigint":
      return (cell) => cell.trim();
    case "datetime":
    case "date":
      return (cell) => cell.trim();
    case "enum":
      return readEnum(field);
    case "array":
      return readArray(field);
    case "object":
    case "record":
      return (cell) => parsed(cell, "{") ?? cell;
    case "union":
      return readUnion(field);
    case "unknown":
      return (cell) => parsed(cell, "{[") ?? cell;
    default:
      return asItIs;
  }
}

const asItIs: ReadCell = (cell) => cell;

function readInt(cell: string): unknown {
  const text = cell.trim();
  if (!wholeNumber.test(text)) return cell;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : cell;
}

function readNumber(cell: string): unknown {
  const text = cell.trim();
  if (!decimal.test(text)) return cell;
  const value = Number(text);
  return Number.isFinite(value) ? value : cell;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readBoolean(cell: string): unknown {
  return booleans.get(cell) ?? booleans.get(cell.trim().toLowerCase()) ?? cell;
}

/** An enum of numbers or booleans is written as they are. */
function readEnum({ values = [] }: FieldModel): ReadCell {
  if (values.every((value) => typeof value === "string")) return asItIs;
  const known = new Map(values.map((value) => [String(value), value]));
  return (cell) => known.get(cell) ?? known.get(cell.trim()) ?? cell;
}

function readArray({ element }: FieldModel): ReadCell {
  const readElement = element === undefined ? asItIs : compileCell(element);
  return (cell) => {
    const json = parsed(cell, "[");
    if (json !== undefined) return json;
    const text = cell.trim();
    return text === "" ? [] : text.split("|").map((part) => readElement(part.trim()));
  };
}

/** Of alternatives that a text could be the text wins only where the cell is nothing else. */
function readUnion({ members = [] }: FieldModel): ReadCell {
  const readers = members.filter(({ kind }) => kind !== "text" && kind !== "uuid").map(compileCell);
  return (cell) => {
    for (const read of readers) {
      const value = read(cell);
      if (value !== cell) return value;
    }
    return cell;
  };
}

/** JSON that begins with one of these characters; `undefined` where the cell is none. */
function parsed(cell: string, beginnings: string): unknown {
  const text = cell.trimStart();
  if (text === "" || !beginnings.includes(text.charAt(0))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    checkJson(value, jsonLimits);
    return value;
  } catch {
    return undefined;
  }
}
