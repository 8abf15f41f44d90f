import { defaultLimits } from "../../../ground/limits/limits.js";
import { closest } from "../../../ground/problem/closest.js";
import { compileTest, type ValueTest } from "../../../ground/storage/matches/compileFilter.js";
import { scalarKey } from "../../../ground/storage/matches/scalarKey.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { isOperator, type Operator, operators } from "../../../language/query/conditions/operator.js";
import { parsePattern } from "../../../language/query/values/like.js";
import { type FilterFaults, invalidFilter, type JsonScalar, operatorList } from "./filterFault.js";

/** One condition as written by the client. */
export interface WrittenCondition {
  readonly key: string;
  readonly operator: string;
  readonly value: unknown;
  /** Its path in the registration. */
  readonly path: readonly string[];
}

const never: ValueTest = () => false;
/** The tests get values, whatever their path is. */
const path: Path = ["value"];

/** Compiles one condition. An invalid one adds a fault, and its test is never called. */
export function compileCondition(written: WrittenCondition, faults: FilterFaults): ValueTest {
  const { key, operator, value, path } = written;
  if (!isOperator(operator)) {
    const near = closest(operator, operators);
    const fault = invalidFilter(`Unknown operator "${short(operator)}" for "${short(key)}". Allowed: ${operatorList()}.`, path);
    faults.push(near === undefined ? fault : { ...fault, hint: `did you mean "${near}"` });
    return never;
  }
  const test = tests[operator](value);
  if (typeof test === "function") return test;
  faults.push(invalidFilter(`"${operator}" of "${short(key)}" must be ${test}.`, path));
  return never;
}

const { listValues, valueBytes } = defaultLimits;

/** The test of a value that a client wrote, or a description of the allowed ones. */
type Compile = (value: unknown) => ValueTest | string;

const tests: { readonly [O in Operator]: Compile } = {
  eq: (value) => readList(value, anyOf),
  ne: (value) => readList(value, noneOf),
  in: (value) => readList(value, anyOf),
  nin: (value) => readList(value, noneOf),
  gt: (value) => readBound("gt", value),
  gte: (value) => readBound("gte", value),
  lt: (value) => readBound("lt", value),
  lte: (value) => readBound("lte", value),
  like: (value) => (isText(value) && value !== "" ? compilePattern(value) : `a pattern: a text of 1 to ${valueBytes} bytes`),
  all: (value) => readList(value, allOf),
  exists: (value) => (typeof value === "boolean" ? compileTest(value ? { op: "has", path } : { op: "eq", path, value: null }) : "true or false"),
};

function readList(value: unknown, compile: (values: readonly JsonScalar[]) => ValueTest): ValueTest | string {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > 0 && values.length <= listValues && values.every(isScalar)) return compile(values);
  return `a text of at most ${valueBytes} bytes, a number, true, false or null, or a list of 1 to ${listValues} of these`;
}

function readBound(op: "gt" | "gte" | "lt" | "lte", value: unknown): ValueTest | string {
  return isOrdered(value) ? compileTest({ op, path, value }) : `a number, or a text of at most ${valueBytes} bytes`;
}

function anyOf(values: readonly JsonScalar[]): ValueTest {
  const equals = compileTest({ op: "in", path, values });
  return (found) => (Array.isArray(found) ? found.some(equals) : equals(found));
}

function noneOf(values: readonly JsonScalar[]): ValueTest {
  const matches = anyOf(values);
  return (found) => !matches(found);
}

function allOf(values: readonly JsonScalar[]): ValueTest {
  const wanted = values.map(scalarKey);
  return (found) => {
    if (!Array.isArray(found)) return false;
    const held = new Set(found.map(scalarKey));
    return wanted.every((each) => held.has(each));
  };
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
function compilePattern(pattern: string): ValueTest | string {
  const parsed = parsePattern(pattern, defaultLimits);
  if ("maximum" in parsed) return `a pattern; ${parsed.what.toLowerCase()}: ${parsed.got}, allowed: ${parsed.maximum}`;
  return compileTest({ op: "like", path, parts: parsed.parts, fold: true });
}
