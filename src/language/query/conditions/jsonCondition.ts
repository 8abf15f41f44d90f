import { pointer } from "../../../ground/http/pointer.js";
import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import { emptyValue, operatorNotAllowed, singleValueRequired, tooComplex } from "../fault.js";
import { acceptPattern, acceptValue, isTooLong } from "../grammar/accept.js";
import { overRelation } from "../grammar/related.js";
import type { FilterTree } from "../grammar/tree.js";
import { invalidPresence, invalidValue } from "../values/invalid.js";
import { type ConditionValue, readValue, withoutFormat } from "../values/value.js";
import { conditionOf } from "./condition.js";
import type { QueryField } from "./field.js";
import { holdsText, isNegation, type Operator, type OperatorTaking, takes } from "./operator.js";
import type { JsonPath, Reading } from "./reading.js";

/** Operators whose values have the type of the field. */
type ValueOperator = Exclude<Operator, OperatorTaking<"pattern" | "presence">>;

/** The condition that a field, an operator and a value of JSON make. Null asks whether there is a value; a list may hold it. */
export function readCondition(reading: Reading, field: QueryField, operator: Operator, value: unknown, path: JsonPath): FilterTree | undefined {
  const { faults } = reading;
  const isNull = value === null && takes(operator, "value");
  // Null is not a value that a type could forbid.
  if (isNull && (field.operators.includes(operator) || field.operators.includes("exists"))) return existence(field, isNegation(operator));
  if (!field.operators.includes(operator)) {
    faults.push(operatorNotAllowed(operator, field, { pointer: pointer(path) }));
    return undefined;
  }
  if (takes(operator, "presence")) return readPresence(reading, field, operator, value, path);
  if (takes(operator, "pattern")) return readPattern(reading, field, operator, value, path);
  return Array.isArray(value) ? readList(reading, field, operator, value, path) : readSingle(reading, field, operator, value, path);
}

function readPresence(
  { faults }: Reading,
  field: QueryField,
  operator: OperatorTaking<"presence">,
  value: unknown,
  path: JsonPath,
): FilterTree | undefined {
  if (typeof value === "boolean") return overRelation(field, operator, conditionOf(field, operator, value));
  faults.push(invalidPresence(field, value, { pointer: pointer(path) }));
  return undefined;
}

function existence(field: QueryField, exists: boolean): FilterTree | undefined {
  return overRelation(field, "exists", conditionOf(field, "exists", exists));
}

function readSingle(reading: Reading, field: QueryField, operator: ValueOperator, value: unknown, path: JsonPath): FilterTree | undefined {
  const parsed = readOne(reading, field, operator, value, path);
  return parsed === undefined ? undefined : overRelation(field, operator, conditionOf(field, operator, [parsed]));
}

function readList(reading: Reading, field: QueryField, operator: ValueOperator, list: readonly unknown[], path: JsonPath): FilterTree | undefined {
  const { faults, settings } = reading;
  const place = { pointer: pointer(path) };
  const before = faults.length;
  if (takes(operator, "bound")) faults.push(singleValueRequired(operator, field, place));
  else if (list.length > settings.limits.listValues) {
    faults.push(tooComplex(`Values of "${field.key}"`, list.length, settings.limits.listValues, place));
  }
  if (faults.length > before) return undefined;
  const hasNull = !takes(operator, "every") && list.includes(null);
  const values = list.flatMap((item, index) => (item === null && hasNull ? [] : (readOne(reading, field, operator, item, [...path, index]) ?? [])));
  if (faults.length > before) return undefined;
  if (!hasNull) return overRelation(field, operator, conditionOf(field, operator, values));
  const negated = isNegation(operator);
  const missing = existence(field, negated);
  if (values.length === 0) return missing;
  const both = [overRelation(field, operator, conditionOf(field, operator, values)), missing].filter((part) => part !== undefined);
  return { op: negated ? "and" : "or", args: both };
}

function readOne(reading: Reading, field: QueryField, operator: ValueOperator, value: unknown, path: JsonPath): ConditionValue | undefined {
  const { faults, settings, gate } = reading;
  const place = { pointer: pointer(path) };
  const { leaf } = field;
  if (typeof value === "string" && !isAcceptable(reading, field, value, place)) return undefined;
  const parsed = readValue(takes(operator, "bound") ? withoutFormat(leaf) : leaf, value, settings.readDay);
  const isTold = gate(field.root, "read") === "allowed" && typeof value !== "object";
  return acceptValue({ field, place, got: isTold ? String(value) : undefined }, parsed, faults);
}

function isAcceptable({ faults, settings }: Reading, field: QueryField, text: string, place: FaultLocation): boolean {
  if (text === "" && !holdsText(field.leaf)) faults.push(emptyValue(field.key, place));
  else if (!isStorable(text)) faults.push(invalidValue(field, storable, place, undefined));
  else return !isTooLong(field, text, settings.limits, place, faults);
  return false;
}

function readPattern(
  { faults, settings }: Reading,
  field: QueryField,
  operator: OperatorTaking<"pattern">,
  value: unknown,
  path: JsonPath,
): FilterTree | undefined {
  const place = { pointer: pointer(path) };
  if (typeof value !== "string") faults.push(invalidValue(field, "a text", place, undefined));
  else if (!isStorable(value)) faults.push(invalidValue(field, storable, place, undefined));
  else return acceptPattern({ field, operator, place }, value, settings.limits, faults);
  return undefined;
}

const storable = "a text without NUL and without halves of surrogate pairs";
