import { pointer } from "../../http/pointer.js";
import type { Place } from "../../problem/place.js";
import { isStorable } from "../../storage/isStorable.js";
import { emptyValue, operatorNotAllowed, singleValueRequired, tooComplex } from "../fault.js";
import { acceptPattern, acceptValue, isTooLong } from "../grammar/accept.js";
import { overRelation } from "../grammar/related.js";
import type { FilterTree } from "../grammar/tree.js";
import { invalidPresence, invalidValue } from "../values/invalid.js";
import { type ConditionValue, readValue, withoutFormat } from "../values/value.js";
import { conditionOf, presence } from "./condition.js";
import type { QueryField } from "./field.js";
import { holdsText, isRange, type Operator, takesList } from "./operator.js";
import type { JsonPath, Reading } from "./reading.js";

/** Operators whose values have the type of the field. */
type ValueOperator = Exclude<Operator, "like" | "exists">;

/** The condition that a field, an operator and a value of JSON make. Null asks whether there is a value; a list may hold it. */
export function readCondition(reading: Reading, field: QueryField, operator: Operator, value: unknown, path: JsonPath): FilterTree | undefined {
  const { faults } = reading;
  const isNull = value === null && (operator === "eq" || operator === "ne");
  // Null is not a value that a type could forbid.
  if (isNull && (field.operators.includes(operator) || field.operators.includes("exists"))) return existence(field, operator === "ne");
  if (!field.operators.includes(operator)) {
    faults.push(operatorNotAllowed(operator, field, { pointer: pointer(path) }));
    return undefined;
  }
  switch (operator) {
    case "exists":
      if (typeof value === "boolean") return existence(field, value);
      faults.push(invalidPresence(field, value, { pointer: pointer(path) }));
      return undefined;
    case "like":
      return readLike(reading, field, value, path);
    default:
      return Array.isArray(value) ? readList(reading, field, operator, value, path) : readSingle(reading, field, operator, value, path);
  }
}

function existence(field: QueryField, exists: boolean): FilterTree | undefined {
  return overRelation(field, "exists", presence(field, exists));
}

function readSingle(reading: Reading, field: QueryField, operator: ValueOperator, value: unknown, path: JsonPath): FilterTree | undefined {
  const parsed = readOne(reading, field, operator, value, path);
  return parsed === undefined ? undefined : overRelation(field, operator, conditionOf(field, operator, [parsed]));
}

function readList(reading: Reading, field: QueryField, operator: ValueOperator, list: readonly unknown[], path: JsonPath): FilterTree | undefined {
  const { faults, settings } = reading;
  const place = { pointer: pointer(path) };
  const before = faults.length;
  if (!takesList(operator) && operator !== "all") faults.push(singleValueRequired(operator, field, place));
  else if (list.length > settings.limits.listValues) {
    faults.push(tooComplex(`Values of "${field.key}"`, list.length, settings.limits.listValues, place));
  }
  if (faults.length > before) return undefined;
  const hasNull = operator !== "all" && list.includes(null);
  const values = list.flatMap((item, index) => (item === null && hasNull ? [] : (readOne(reading, field, operator, item, [...path, index]) ?? [])));
  if (faults.length > before) return undefined;
  if (!hasNull) return overRelation(field, operator, conditionOf(field, operator, values));
  const negated = operator === "nin" || operator === "ne";
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
  const parsed = readValue(isRange(operator) ? withoutFormat(leaf) : leaf, value, settings.readDay);
  const isTold = gate(field.root, "read") === "allowed" && typeof value !== "object";
  return acceptValue(field, parsed, place, isTold ? String(value) : undefined, faults);
}

function isAcceptable({ faults, settings }: Reading, field: QueryField, text: string, place: Place): boolean {
  if (text === "" && !holdsText(field.leaf)) faults.push(emptyValue(field.key, place));
  else if (!isStorable(text)) faults.push(invalidValue(field, storable, place, undefined));
  else return !isTooLong(field, text, settings.limits, place, faults);
  return false;
}

function readLike({ faults, settings }: Reading, field: QueryField, value: unknown, path: JsonPath): FilterTree | undefined {
  const place = { pointer: pointer(path) };
  if (typeof value !== "string") faults.push(invalidValue(field, "a text", place, undefined));
  else if (!isStorable(value)) faults.push(invalidValue(field, storable, place, undefined));
  else return overRelation(field, "like", acceptPattern(field, value, settings.limits, place, faults));
  return undefined;
}

const storable = "a text without NUL and without halves of surrogate pairs";
