import { addTo } from "../../ground/storage/addTo.js";
import type { FieldPart } from "./part.js";

/** The values of fields by name; a repeated name has an array of all values, in their order. */
export type CollectedFields = Record<string, string | readonly string[]>;

/**
 * Collects fields by their names. The object has no prototype: names such as `__proto__` and `constructor` are ordinary, and brackets in names have no meaning.
 *
 * @example
 * collectFields([{ name: "tag", value: "a" }, { name: "tag", value: "b" }]); // { tag: ["a", "b"] }
 */
export function collectFields(fields: Iterable<Pick<FieldPart, "name" | "value">>): CollectedFields {
  const values = new Map<string, string[]>();
  for (const { name, value } of fields) addTo(values, name, value);
  const collected: CollectedFields = Object.create(null);
  for (const [name, [first = "", ...others]] of values) collected[name] = others.length === 0 ? first : [first, ...others];
  return collected;
}
