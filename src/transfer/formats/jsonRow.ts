import { checkJson } from "../../http/json.js";
import { locateJsonFault } from "../../http/locateJsonFault.js";
import { isObject } from "../../patch/isObject.js";
import { ProblemError } from "../../problem/index.js";
import type { RowFault, SourceRow } from "../rows.js";
import type { JsonRowLimits } from "./rowLimits.js";

/** Characters of a row that is not usable which are kept, so that people can find it. */
const keptLength = 1_000;

/** Where a row stands. */
interface RowPlace {
  readonly row: number;
  readonly line: number;
}

/** The row that a text of JSON is, or why it is none. Whether its text holds NUL or half a surrogate pair is for others to judge. */
export function parseJsonRow(text: string, { row, line }: RowPlace, limits: JsonRowLimits): SourceRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unusableRow(text, { row, line }, { code: "MALFORMED_JSON", detail: describeFault(text) });
  }
  if (!isObject(value)) {
    return unusableRow(text, { row, line }, { code: "ROW_NOT_OBJECT", detail: `The row is ${describeKind(value)}; it must be an object.` });
  }
  const fault = isHarmless(value, limits) ? undefined : findFault(value, limits);
  return fault === undefined ? { row, line, value } : unusableRow(text, { row, line }, fault);
}

/** A row that cannot be taken, with the beginning of its text. */
export function unusableRow(text: string, { row, line }: RowPlace, fault: RowFault): SourceRow {
  // What ends in half a surrogate pair could not be stored.
  const kept = text.slice(0, keptLength).replace(/[\uD800-\uDBFF]$/, "");
  return { row, line, text: kept, fault };
}

/** The fault of a row that is too long. */
export function tooLargeFault(limitBytes: number): RowFault {
  return { code: "ROW_TOO_LARGE", detail: `The row is longer than ${limitBytes} bytes.` };
}

function describeKind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** Whether the full check can find nothing: most rows are flat, and for them it takes as long as parsing. */
function isHarmless(row: Readonly<Record<string, unknown>>, limits: JsonRowLimits): boolean {
  let members = 0;
  for (const name in row) {
    const member = row[name];
    if (typeof member === "object" ? member !== null : typeof member === "number" && !Number.isFinite(member)) return false;
    if (name === "__proto__") return false;
    members += 1;
  }
  return members <= limits.members && members < limits.values && limits.depth > 0;
}

function findFault(row: Readonly<Record<string, unknown>>, limits: JsonRowLimits): RowFault | undefined {
  try {
    checkJson(row, limits, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const field = error.errors[0]?.pointer?.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
    return { code: error.code, detail: error.message, ...(field ? { field } : {}) };
  }
}

function describeFault(text: string): string {
  const { what, column } = locateJsonFault(text);
  return `The row is not JSON: ${what} at column ${column}.`;
}
