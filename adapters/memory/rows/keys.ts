import type { Row } from "../../../src/storage/collection.js";
import { fold } from "../../../src/storage/fold.js";
import type { UniqueKey } from "../../../src/storage/model.js";
import { Kind, kindOf } from "./compare.js";

/** The key of a row in a unique index; `undefined` if a field is null, so that the row cannot conflict. */
export type KeyOf = (row: Row) => string | undefined;

export function compileUniqueKey(key: UniqueKey): KeyOf {
  const [only, ...others] = key.fields;
  if (only !== undefined && others.length === 0) return (row) => singleKey(key, row[only]);
  return (row) => {
    const members: string[] = [];
    for (const field of key.fields) {
      const member = singleKey(key, row[field]);
      if (member === undefined) return undefined;
      members.push(member);
    }
    return JSON.stringify(members);
  };
}

/** The key of one value in a unique index. */
export function singleKey(key: UniqueKey, value: unknown): string | undefined {
  if (typeof value !== "string") return scalarKey(value);
  return scalarKey(key.fold ? fold(value) : value.normalize("NFC"));
}

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
