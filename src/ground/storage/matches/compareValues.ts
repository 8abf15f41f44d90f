import { compareText } from "./compareText.js";

/** Null and missing values are lowest; text is ordered by code point; values of different kinds are ordered by kind. */
export function compareValues(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "number" && typeof right === "number") return compareNumbers(left, right);
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  const kinds = kindOf(left) - kindOf(right);
  if (kinds !== 0) return kinds;
  switch (kindOf(left)) {
    case Kind.boolean:
      return Number(left) - Number(right);
    case Kind.number:
      return compareNumbers(left as number | bigint, right as number | bigint);
    default:
      return 0;
  }
}

/** The kinds of values in filters: a filter never matches by comparing values of different kinds. */
export const Kind = { nothing: 0, boolean: 1, number: 2, text: 3, instant: 4, structure: 5 } as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case "string":
      return Kind.text;
    case "number":
    case "bigint":
      return Kind.number;
    case "boolean":
      return Kind.boolean;
    case "undefined":
      return Kind.nothing;
    default:
      if (value === null) return Kind.nothing;
      return value instanceof Date ? Kind.instant : Kind.structure;
  }
}

/** `<` compares a number with a bigint exactly; subtraction would throw. */
function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
