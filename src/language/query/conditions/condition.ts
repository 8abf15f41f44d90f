import type { Filter, LikePart } from "../../../ground/storage/filter.js";
import { anyOf } from "../../../ground/storage/filterParts.js";
import { microsOf } from "../../../ground/storage/values/exactDate.js";
import type { Scalar } from "../../../ground/storage/values/scalar.js";
import type { DateTimeForm } from "../../schema/dateTimeForm.js";
import type { FieldModel } from "../../schema/field.js";
import type { Day } from "../values/day.js";
import type { ConditionValue } from "../values/value.js";
import type { QueryField } from "./field.js";
import type { Operator, operatorTable } from "./operator.js";

/** What conditions are made of: values of the field, parts of a pattern, or whether there is a value. */
interface Operands {
  readonly value: readonly ConditionValue[];
  readonly alternatives: readonly ConditionValue[];
  readonly every: readonly ConditionValue[];
  readonly bound: readonly ConditionValue[];
  readonly pattern: readonly LikePart[];
  readonly presence: boolean;
}

type OperandOf<O extends Operator> = Operands[(typeof operatorTable)[O]["takes"]];

const conditions: { readonly [O in Operator]: (target: QueryField, operand: OperandOf<O>) => Filter } = {
  eq: equals,
  ne: noneOf,
  in: equals,
  nin: noneOf,
  gt: (target, values) => compare(target, "gt", values),
  gte: (target, values) => compare(target, "gte", values),
  lt: (target, values) => compare(target, "lt", values),
  lte: (target, values) => compare(target, "lte", values),
  like: likeness,
  all: everyOf,
  exists: presence,
};

/**
 * The condition of an operator. With several values, `eq` matches any of them and `ne` none.
 *
 * Only negations match null: for every row exactly one of `eq` and `ne` is true.
 */
export function conditionOf<O extends Operator>(target: QueryField, operator: O, operand: OperandOf<O>): Filter {
  return conditions[operator](target, operand);
}

/** The values as the field stores them. */
function storedValues(target: QueryField, given: readonly ConditionValue[]): readonly ConditionValue[] {
  return given.map((value) => asStored(target, asShown(target, value)));
}

/** A date-time that is shown in whole seconds or minutes means all instants that are shown so: a table of the developer may hold finer ones. */
function asShown({ field: { kind, dateTime } }: QueryField, given: ConditionValue): ConditionValue {
  if (kind !== "datetime" || dateTime === undefined || dateTime.unitMs === 1 || !("value" in given) || !(given.value instanceof Date)) return given;
  const ms = given.value.getTime();
  return !microsOf(given.value) && ms % dateTime.unitMs === 0 ? { day: { from: given.value, until: new Date(ms + dateTime.unitMs) } } : given;
}

/** A date-time with more digits than stored ones have is between two of them: a range without instants, which begins with the first one after it. */
function asStored(target: QueryField, given: ConditionValue): ConditionValue {
  if (!("value" in given && given.value instanceof Date)) return given;
  const { field, root } = target;
  const isText = isInJson(target);
  if (root.holdsMicros === true && !isText) return given;
  const unitMs = (isText && dateTimeIn(field)?.unitMs) || 1;
  const ms = given.value.getTime();
  if (!microsOf(given.value) && ms % unitMs === 0) return given;
  const next = new Date((Math.floor(ms / unitMs) + 1) * unitMs);
  return { day: { from: next, until: next } };
}

/** Whether the field has a value that is not null. */
function presence({ path }: QueryField, exists: boolean): Filter {
  return exists ? { op: "has", path } : { op: "eq", path, value: null };
}

/** Folded, because `like` ignores case. */
export function likeness({ path }: QueryField, parts: readonly LikePart[]): Filter {
  return { op: "like", path, parts, fold: true };
}

function equals(target: QueryField, given: readonly ConditionValue[]): Filter {
  const { path, field } = target;
  const values = storedValues(target, given);
  const [only] = values;
  const isArray = field.kind === "array";
  if (only !== undefined && values.length === 1 && "value" in only) {
    return { op: isArray ? "contains" : "eq", path, value: stored(target, only.value) };
  }
  const scalars: Scalar[] = [];
  const days: Filter[] = [];
  for (const each of values) {
    if (!("day" in each)) scalars.push(stored(target, each.value));
    else if (each.day.from < each.day.until) days.push(within(target, each.day));
  }
  if (isArray) {
    const held = scalars.map((value): Filter => ({ op: "contains", path, value }));
    return both("or", held);
  }
  if (days.length === 0) return anyOf(path, scalars);
  return both("or", scalars.length === 0 ? days : [anyOf(path, scalars), ...days]);
}

function noneOf(target: QueryField, values: readonly ConditionValue[]): Filter {
  const positive = equals(target, values);
  return positive.op === "eq" ? { op: "ne", path: positive.path, value: positive.value } : { op: "not", arg: positive };
}

/** An array that holds every one of the values. */
function everyOf(target: QueryField, values: readonly ConditionValue[]): Filter {
  return both(
    "and",
    values.map((value) => equals(target, [value])),
  );
}

/** The end of a whole day counts: after a day means after its last instant, until a day means until that instant. */
function compare(target: QueryField, operator: "gt" | "gte" | "lt" | "lte", values: readonly ConditionValue[]): Filter {
  const { path } = target;
  const [given = { value: null }] = storedValues(target, values);
  if ("value" in given) return { op: operator, path, value: stored(target, given.value), ...orderOf(target) };
  const { from, until } = given.day;
  const value = stored(target, operator === "gt" || operator === "lte" ? until : from);
  return { op: operator === "gt" || operator === "gte" ? "gte" : "lt", path, value };
}

function within(target: QueryField, { from, until }: Day): Filter {
  const { path } = target;
  return both("and", [
    { op: "gte", path, value: stored(target, from) },
    { op: "lt", path, value: stored(target, until) },
  ]);
}

function both(op: "and" | "or", args: readonly Filter[]): Filter {
  const [only] = args;
  return only !== undefined && args.length === 1 ? only : { op, args };
}

/** How stores and evaluators compare values of the field, if not by their type. */
export function orderOf({ field }: QueryField): { readonly as?: "decimal" } {
  return field.kind === "decimal" ? { as: field.kind } : {};
}

function isInJson({ path, field }: QueryField): boolean {
  return path.length > 1 || field.kind === "array" || field.kind === "union";
}

/** Inside JSON a date-time is stored as UTC text in the form of its field, which sorts like its instants, and a bigint as its digits. */
function stored(target: QueryField, value: Scalar): Scalar {
  if (!isInJson(target)) return value;
  if (value instanceof Date) return utcText(target.field, value);
  return typeof value === "bigint" ? value.toString() : value;
}

/** The end of the last four-digit day is written so that it sorts after all of its instants: `+010000-…` would sort before them. */
function utcText(field: FieldModel, instant: Date): string {
  return instant.getUTCFullYear() > 9_999 ? "9999-12-31T24:00:00.000Z" : (dateTimeIn(field)?.text(instant) ?? instant.toISOString());
}

/** The form of the date-times in an array or a union. */
function dateTimeIn({ dateTime, element, members = [] }: FieldModel): DateTimeForm | undefined {
  return dateTime ?? (element ? dateTimeIn(element) : members.find(({ kind }) => kind === "datetime")?.dateTime);
}
