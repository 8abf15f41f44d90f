import { losesDigits } from "../../../src/storage/jsonNumbers.js";
import { Unreadable } from "./columnType.js";

/**
 * The value of stored JSON.
 *
 * @throws {Unreadable} if it has a number that a patch of a member beside it would write back as another number
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (losesDigits(text)) throw new Unreadable("it has a number beyond 2^53 that would be rounded");
  return value;
}
