import { isObject } from "../../../ground/http/isObject.js";
import { checkJson, type JsonLimits, tooDeep } from "../../../ground/http/json/checkJson.js";
import { firstRounded, withoutRounded } from "../../../ground/http/json/roundedIntegers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { RowFault, SourceRow } from "../rows.js";
import { JsonScanner } from "./jsonScanner.js";
import { findTextFault, type JsonTextFault, textFaultAt } from "./jsonTextFault.js";

/** Limits of one row of JSON; each value is still allowed. */
export interface JsonRowLimits extends JsonLimits {
  /** Bytes of the row in the file, without its line end. */
  readonly rowBytes: number;
}

/** So many characters of an invalid row are kept for error reports. */
const keptLength = 1_000;
/** Bytes that contain at least so many characters. */
export const keptBytes = 4 * keptLength;

/** Where a row is in its file. */
interface RowLocation {
  readonly row: number;
  readonly line: number;
}

/** Parses a row of JSON; an invalid one has a fault. Does not check for NUL and lone surrogates; that is done when the row is imported. */
export function parseJsonRow(text: string, { row, line }: RowLocation, limits: JsonRowLimits): SourceRow {
  const early = findEarlyFault(text, limits);
  if (early !== undefined) return unusableRow(text, { row, line }, early.fault);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unusableRow(text, { row, line }, { code: "MALFORMED_JSON", detail: notJson(findTextFault(text)) });
  }
  if (!isObject(value)) {
    return unusableRow(text, { row, line }, { code: "ROW_NOT_OBJECT", detail: `The row is ${describeKind(value)}; it must be an object.` });
  }
  const fault = isHarmless(value, limits) ? undefined : (jsonFault(value, limits, false) ?? roundedFault(text));
  return fault === undefined ? { row, line, value } : unusableRow(text, { row, line }, fault);
}

function roundedFault(text: string): RowFault | undefined {
  const json = withoutRounded(text);
  return json === undefined ? undefined : jsonFault(JSON.parse(json), unlimited, true);
}

const unlimited = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** A row with a fault, with the beginning of its text. */
export function unusableRow(text: string, { row, line }: RowLocation, fault: RowFault): SourceRow {
  // Stores refuse text that ends in half a surrogate pair.
  const kept = text.slice(0, keptLength).replace(/[\uD800-\uDBFF]$/, "");
  return { row, line, text: kept, fault };
}

/** The fault of a row that is too long. */
export function tooLargeFault(limitBytes: number): RowFault {
  return { code: "ROW_TOO_LARGE", detail: `The row is longer than ${limitBytes} bytes.` };
}

/** The size of a row. */
export interface RowSize {
  readonly bytes: number;
  /** Number of values at any depth, the row itself included. */
  readonly values: number;
  readonly depth: number;
}

/** The fault of a row that exceeds a limit; such a row is not parsed. */
export function sizeFault({ bytes, values, depth }: RowSize, limits: Pick<JsonRowLimits, "rowBytes" | "values" | "depth">): RowFault | undefined {
  if (bytes > limits.rowBytes) return tooLargeFault(limits.rowBytes);
  if (depth > limits.depth) return { code: "MALFORMED_JSON", detail: tooDeep(limits.depth) };
  if (values > limits.values) return { code: "MALFORMED_JSON", detail: `There are more than ${limits.values} values.` };
  return undefined;
}

/** The limits are checked after every so many bytes. */
const stretchBytes = 16_384;

/** A fault that is found without parsing: the text exceeds a limit, or is not JSON. */
export interface EarlyFault {
  readonly fault: RowFault;
  readonly isJson: boolean;
}

/** Checks a text before it is parsed; `undefined` if it is fine, or too short to exceed the limit of values. */
export function findEarlyFault(text: string, limits: Pick<JsonRowLimits, "values" | "depth">): EarlyFault | undefined {
  // A value takes at least two characters: itself, and a comma or a bracket.
  if (text.length <= 2 * limits.values) return undefined;
  const bytes = new TextEncoder().encode(text);
  const scanner = new JsonScanner(bytes);
  for (;;) {
    const isOver = scanner.scan(scanner.at + stretchBytes);
    const fault = sizeFault({ bytes: 0, values: scanner.values, depth: scanner.depth }, { ...limits, rowBytes: 0 });
    if (fault !== undefined) return { fault, isJson: true };
    if (isOver === true) return undefined;
    if (isOver === false) return { fault: { code: "MALFORMED_JSON", detail: notJson(textFaultAt(bytes, scanner.at)) }, isJson: false };
  }
}

function describeKind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** Fast path: whether the full check, which takes longer than parsing, is not needed. */
function isHarmless(row: Readonly<Record<string, unknown>>, limits: JsonRowLimits): boolean {
  return countHarmless(row, limits, limits.depth) <= limits.values;
}

/** The number of values; infinite if one of them needs the full check. @param depth how much deeper values may be nested */
function countHarmless(value: unknown, limits: JsonRowLimits, depth: number): number {
  if (typeof value === "number") return value < firstRounded && value > -firstRounded ? 1 : Number.POSITIVE_INFINITY;
  if (typeof value !== "object" || value === null) return 1;
  if (depth === 0) return Number.POSITIVE_INFINITY;
  let values = 1;
  if (Array.isArray(value)) {
    for (const element of value) values += countHarmless(element, limits, depth - 1);
    return values;
  }
  let members = 0;
  for (const name in value) {
    if (name === "__proto__" || name === "constructor") return Number.POSITIVE_INFINITY;
    values += countHarmless((value as Readonly<Record<string, unknown>>)[name], limits, depth - 1);
    members += 1;
  }
  return members > limits.members ? Number.POSITIVE_INFINITY : values;
}

/** The first fault that `checkJson` finds in a row. */
export function jsonFault(row: Readonly<Record<string, unknown>>, limits: JsonLimits, checksText: boolean): RowFault | undefined {
  try {
    checkJson(row, limits, checksText);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const field = error.errors[0]?.pointer?.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
    return { code: error.code, detail: error.message, ...(field ? { field } : {}) };
  }
}

function notJson({ what, column }: JsonTextFault): string {
  return `The row is not JSON: ${what} at column ${column}.`;
}
