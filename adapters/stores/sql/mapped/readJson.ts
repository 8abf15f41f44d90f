import type { MappedField } from "../../../../src/ground/storage/model.js";
import { losesDigits } from "../../../../src/ground/storage/values/jsonNumbers.js";
import { Unreadable } from "./columnType.js";

/**
 * The value of stored JSON.
 *
 * @throws {Unreadable} if it has a number that a patch of a member beside it would write back as another number, or a value in a form that no condition finds
 */
export function readJson(text: string, { otherForm }: Pick<MappedField, "otherForm">): unknown {
  const value: unknown = JSON.parse(text);
  if (losesDigits(text)) throw new Unreadable("it has a number beyond 2^53 that would be rounded");
  const other = otherForm?.(value);
  if (other !== undefined) throw new Unreadable(other);
  return value;
}
