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
    case "datetime":
    case "date":
      return (cell) => cell.trim();
    case "enum":
      return readEnum(field);
    case "array":
      return readArray(field);
    case "object":
    case "record":
      return (cell) => (beginsWith(cell, "{") ? parsed(cell) : undefined) ?? cell;
    case "union":
      return readUnion(field);
    case "unknown":
      return (cell) => (beginsWith(cell, "{[") ? parsed(cell) : undefined) ?? cell;
    default:
      return asItIs;
  }
}

/** Whether the empty text is a value of the column, where a cell of it is empty and in quotes. */
export function takesEmptyText({ kind, values = [], members = [] }: FieldModel): boolean {
  return kind === "text" || kind === "unknown" || (kind === "enum" && values.includes("")) || (kind === "union" && members.some(takesEmptyText));
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

/** What can only be meant as JSON: values that are separated by `|` hardly begin so. */
const jsonArray = /^\s*\[\s*["[{]/;

function readArray({ element }: FieldModel): ReadCell {
  const readElement = element === undefined ? asItIs : compileCell(element);
  return (cell) => {
    const json = beginsWith(cell, "[") ? parsed(cell) : undefined;
    if (json !== undefined) return json;
    if (jsonArray.test(cell)) return cell;
    const text = cell.trim();
    return text === "" ? [] : text.split("|").map((part) => readElement(part.trim()));
  };
}

/**
 * The first alternative that would be written as the cell is. Where none is, a text stays as it is: `007` is no number that somebody wrote. Without a text
 * among the alternatives the first one wins that the cell can be read as.
 */
function readUnion({ members = [] }: FieldModel): ReadCell {
  const readers = members.filter(({ kind }) => kind !== "text" && kind !== "uuid").map(compileCell);
  const takesText = members.some(({ kind }) => kind === "text");
  return (cell) => {
    const values = readers.map((read) => read(cell));
    const same = values.find((value) => value !== cell && isWrittenAs(value, cell));
    if (same !== undefined || takesText) return same ?? cell;
    return values.find((value) => value !== cell) ?? cell;
  };
}

function isWrittenAs(value: unknown, cell: string): boolean {
  return typeof value === "object" ? beginsWith(cell, "{[") : String(value) === cell;
}

function beginsWith(cell: string, characters: string): boolean {
  const first = cell.trimStart().charAt(0);
  return first !== "" && characters.includes(first);
}

/** `undefined` where the cell is no JSON; the cell where it is one that no body could bring, so that the schema refuses it. */
function parsed(cell: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    return undefined;
  }
  try {
    checkJson(value, jsonLimits);
    return value;
  } catch {
    return cell;
  }
}
