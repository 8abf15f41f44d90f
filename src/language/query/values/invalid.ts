import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import { quote, quoteValue } from "../../../ground/problem/quote.js";
import type { QueryField } from "../conditions/field.js";
import { cut, type Fault } from "../fault.js";

/**
 * The fault of a value that is not one of the field's.
 *
 * @param got what was sent; left out where the field is secret
 */
export function invalidValue(
  { key, leaf }: QueryField,
  expected: string,
  place: FaultLocation,
  got: string | undefined,
  hint?: string | undefined,
): Fault {
  return {
    code: "INVALID_VALUE",
    detail: `"${key}" must be ${expected}${got === undefined ? "" : `; got ${quote(got)}`}.`,
    ...cut(place),
    ...(leaf.kind === "enum" ? { allowed: leaf.values?.map(String) } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** The fault of a value of `exists`. */
export function invalidPresence({ key }: QueryField, got: unknown, place: FaultLocation): Fault {
  return { code: "INVALID_VALUE", detail: `"exists" of "${key}" must be true or false; got ${quoteValue(got)}.`, ...cut(place) };
}
