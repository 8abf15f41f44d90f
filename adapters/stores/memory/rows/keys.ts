import type { Row } from "../../../../src/ground/storage/collection.js";
import { scalarKey } from "../../../../src/ground/storage/matches/scalarKey.js";
import type { UniqueKey } from "../../../../src/ground/storage/model.js";
import { fold } from "../../../../src/ground/storage/values/fold.js";

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
