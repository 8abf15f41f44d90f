import { pointer } from "../http/pointer.js";
import type { ProblemItem } from "../problem/index.js";
import { operators } from "../query/operator.js";

/** A value of JSON that is no list and no object. */
export type JsonScalar = string | number | boolean | null;

/** Faults of one filter, collected. */
export type FilterFaults = ProblemItem[];

/** The operators as messages list them. */
export const operatorList = operators.join(", ");

const pointerCharacters = 256;

/** The fault of something in a filter, and where it stands. */
export function invalidFilter(detail: string, path: readonly (string | number)[]): ProblemItem {
  return { code: "INVALID_FILTER", detail, pointer: pointer(path).slice(0, pointerCharacters).toWellFormed(), allowed: operators };
}
