import { defaultLimits } from "../../limits/limits.js";
import { closest } from "../../problem/closest.js";
import { isOperator, isRange, type Operator, operators, takesList } from "../../query/conditions/operator.js";
import { parsePattern } from "../../query/values/like.js";
import { fold } from "../../storage/fold.js";
import { type FilterFaults, invalidFilter, type JsonScalar, operatorList } from "./filterFault.js";

/** Whether a condition matches the value at a path; `undefined` if there is no value. */
export type ValueTest = (value: unknown) => boolean;

/** One condition as written by the client. */
export interface WrittenCondition {
  readonly key: string;
  readonly operator: string;
  readonly value: unknown;
  /** Its path in the registration. */
  readonly path: readonly string[];
}

const never: ValueTest = () => false;

/** Compiles one condition. An invalid one adds a fault, and its test is never called. */
export function compileCondition(written: WrittenCondition, faults: FilterFaults): ValueTest {
  const { key, operator, value, path } = written;
  if (!isOperator(operator)) {
    const near = closest(operator, operators);
    const fault = invalidFilter(`Unknown operator "${short(operator)}" for "${short(key)}". Allowed: ${operatorList}.`, path);
    faults.push(near === undefined ? fault : { ...fault, hint: `did you mean "${near}"` });
    return never;
  }
  const test = testOf(operator, value);
  if (typeof test === "function") return test;
  faults.push(invalidFilter(`"${operator}" of "${short(key)}" must be ${test}.`, path));
  return never;
}

/** The test, or a description of the allowed values. */
function testOf(operator: Operator, value: unknown): ValueTest | string {
  if (operator === "exists") return typeof value === "boolean" ? (found) => isPresent(found) === value : "true or false";
  if (operator === "like") return isText(value) && value !== "" ? compilePattern(value) : `a pattern: a text of 1 to ${valueBytes} bytes`;
  if (isRange(operator)) return isOrdered(value) ? rangeTest(operator, value) : `a number, or a text of at most ${valueBytes} bytes`;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.length > listValues || !values.every(isScalar)) {
    return `a text of at most ${valueBytes} bytes, a number, true, false or null, or a list of 1 to ${listValues} of these`;
  }
  const wanted = new Set<JsonScalar>(values);
  if (!takesList(operator)) return (found) => Array.isArray(found) && holdsAll(found, wanted);
  const isPositive = operator === "eq" || operator === "in";
  return (found) => isAmong(found, wanted) === isPositive;
}

/** A set distinguishes 1 from "1", as JSON does. A missing value counts as null. */
function isAmong(found: unknown, wanted: ReadonlySet<unknown>): boolean {
  return Array.isArray(found) ? found.some((element) => wanted.has(element)) : wanted.has(found ?? null);
}

function holdsAll(found: readonly unknown[], wanted: ReadonlySet<unknown>): boolean {
  const held = new Set(found);
  return [...wanted].every((each) => held.has(each));
}

function rangeTest(operator: "gt" | "gte" | "lt" | "lte", bound: number | string): ValueTest {
  const order = typeof bound === "number" ? numberOrder(bound) : textOrder(bound);
  switch (operator) {
    case "gt":
      return (found) => order(found) > 0;
    case "gte":
      return (found) => order(found) >= 0;
    case "lt":
      return (found) => order(found) < 0;
    case "lte":
      return (found) => order(found) <= 0;
  }
}

/** NaN if the values cannot be compared: no comparison with NaN is true. */
function numberOrder(bound: number): (found: unknown) => number {
  return (found) => (typeof found === "number" ? Math.sign(found - bound) : Number.NaN);
}

/** The order of UTF-8 bytes is that of code points. */
function textOrder(bound: string): (found: unknown) => number {
  const bytes = Buffer.from(bound);
  return (found) => (typeof found === "string" ? Buffer.compare(Buffer.from(found), bytes) : Number.NaN);
}

const { listValues, valueBytes } = defaultLimits;

function isPresent(found: unknown): boolean {
  return found !== undefined && found !== null;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= valueBytes && Buffer.byteLength(value) <= valueBytes;
}

function isOrdered(value: unknown): value is number | string {
  return isText(value) || Number.isFinite(value);
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || typeof value === "boolean" || isOrdered(value);
}

function short(text: string): string {
  return text.slice(0, 64).toWellFormed();
}

/** A matcher for a `like` pattern with the syntax of list filters, or a description of the allowed patterns. */
function compilePattern(pattern: string): ((found: unknown) => boolean) | string {
  const parsed = parsePattern(pattern, defaultLimits);
  if ("maximum" in parsed) return `a pattern; ${parsed.what.toLowerCase()}: ${parsed.got}, allowed: ${parsed.maximum}`;
  const runs = [""];
  for (const part of parsed.parts) {
    if (typeof part === "string") runs[runs.length - 1] += fold(part);
    else runs.push("");
  }
  return (found) => typeof found === "string" && matchRuns(runs, fold(found));
}

/** Matches literal runs separated by wildcards: each run at its leftmost position, the last one at the end. There is no backtracking. */
function matchRuns(runs: readonly string[], text: string): boolean {
  const [first = "", ...others] = runs;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const run of others) {
    const start = text.indexOf(run, position);
    if (start < 0) return false;
    position = start + run.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
