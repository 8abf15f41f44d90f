import { parseId } from "../../../engine/resource/read/identify.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { columnKind } from "../../../language/schema/field.js";
import { toInt64 } from "../../../language/schema/wire.js";

/**
 * The id in an item, in the JSON form of the collection's ids: an integer, or a string; either for 64-bit ids.
 *
 * @param where pointer from the item
 * @throws {ProblemError} VALIDATION_FAILED for a value of another type, NOT_FOUND for a string that cannot be an id
 */
export async function readItemId(resource: Resource, value: unknown, where: string): Promise<Id> {
  const kind = columnKind(resource.id);
  if (kind === "text") {
    if (typeof value === "string") return parseId(resource, value);
  } else if (Number.isSafeInteger(value)) {
    return kind === "bigint" ? BigInt(value as number) : (value as number);
  } else if (kind === "bigint" && typeof value === "string") {
    const id = toInt64(value);
    if (id !== undefined) return id;
  }
  const detail = `An id of "${resource.name}" must be ${kind === "text" ? "a string" : "an integer"}.`;
  throw new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: where }] });
}
