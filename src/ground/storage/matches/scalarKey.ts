import { Kind, kindOf } from "./compareValues.js";

/** Equal values have equal keys; the first letter tells "1" from 1. Null has no key. */
export function scalarKey(value: unknown): string | undefined {
  switch (kindOf(value)) {
    case Kind.nothing:
      return undefined;
    case Kind.text:
      return `t${value}`;
    case Kind.number:
      return `n${numberKey(value as number | bigint)}`;
    case Kind.boolean:
      return `b${value}`;
    case Kind.instant:
      return `d${(value as Date).getTime()}`;
    default:
      return `j${JSON.stringify(value)}`;
  }
}

/** Beyond 2^53 a number prints rounded digits, but the equal bigint prints all digits. */
function numberKey(value: number | bigint): string {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value).toString() : String(value);
}
