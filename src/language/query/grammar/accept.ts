import type { Limits } from "../../../ground/limits/limits.js";
import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { conditionOf } from "../conditions/condition.js";
import type { QueryField } from "../conditions/field.js";
import type { OperatorTaking } from "../conditions/operator.js";
import { emptyValue, type Faults, tooComplex } from "../fault.js";
import { byteLength } from "../values/byteLength.js";
import { invalidValue } from "../values/invalid.js";
import { parsePattern } from "../values/like.js";
import type { ConditionValue, ParsedValue } from "../values/value.js";
import { overRelation } from "./related.js";
import type { FilterTree } from "./tree.js";

/** A value in a query. */
interface Sent {
  readonly field: QueryField;
  readonly place: FaultLocation;
  /** What was sent; absent if the field is secret. */
  readonly got?: string | undefined;
  readonly hint?: string | undefined;
}

/** A value that a condition of the field can use. */
export function acceptValue({ field, place, got, hint }: Sent, parsed: ParsedValue, faults: Faults): ConditionValue | undefined {
  if ("expected" in parsed) faults.push(invalidValue(field, parsed.expected, place, got, hint));
  // A day is a range, and an array only contains a value or does not.
  else if ("day" in parsed && field.field.kind === "array") {
    faults.push(invalidValue(field, "a date-time with Z or an offset", place, got));
  } else return parsed;
  return undefined;
}

/** Adds a fault and returns `true` if a value is longer than the limit. */
export function isTooLong(field: QueryField, text: string, { valueBytes }: Limits, place: FaultLocation, faults: Faults): boolean {
  // A character has at most three bytes, so short texts need no counting.
  if (text.length * 3 <= valueBytes) return false;
  const bytes = byteLength(text);
  if (bytes <= valueBytes) return false;
  faults.push(tooComplex(`Bytes of a value of "${field.key}"`, bytes, valueBytes, place));
  return true;
}

/** The condition of a pattern. */
export function acceptPattern(
  { field, operator, place }: Pick<Sent, "field" | "place"> & { readonly operator: OperatorTaking<"pattern"> },
  text: string,
  limits: Limits,
  faults: Faults,
): FilterTree | undefined {
  if (text === "") {
    faults.push(emptyValue(field.key, place));
    return undefined;
  }
  const pattern = parsePattern(text, limits);
  if ("parts" in pattern) return overRelation(field, operator, conditionOf(field, operator, pattern.parts));
  faults.push(tooComplex(`${pattern.what} of the pattern of "${field.key}"`, pattern.got, pattern.maximum, place));
  return undefined;
}
