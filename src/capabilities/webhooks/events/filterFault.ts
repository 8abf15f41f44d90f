import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import { operators } from "../../../language/query/conditions/operator.js";

/** A JSON value other than an array or an object. */
export type JsonScalar = string | number | boolean | null;

/** The faults of one filter. */
export type FilterFaults = ProblemItem[];

/** The operators, for messages. */
export function operatorList(): string {
  return operators.join(", ");
}

const pointerCharacters = 256;

/** A fault of a filter, with its path. */
export function invalidFilter(detail: string, path: readonly (string | number)[]): ProblemItem {
  return { code: "INVALID_FILTER", detail, pointer: pointer(path).slice(0, pointerCharacters).toWellFormed(), allowed: operators };
}
