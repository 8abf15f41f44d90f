import type { FaultLocation } from "../../../ground/problem/faultLocation.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { fold } from "../../../ground/storage/values/fold.js";
import { tooComplex } from "../fault.js";
import type { Parsing } from "../parsing.js";
import { unknownField } from "../unknownField.js";
import { likeness } from "./condition.js";

/**
 * The condition of `q`: every term in at least one of the searchable fields that the principal may filter by. Blank text adds no condition.
 */
export function parseSearch(text: string, parsing: Parsing, place: FaultLocation): Filter | undefined {
  const { gate, settings, faults } = parsing;
  const { limits } = settings;
  const { searchable } = parsing.table;
  const allowed = searchable.filter(({ root }) => gate(root, "filter") === "allowed");
  if (allowed.length === 0) {
    unknownField("parameter" in place ? place.parameter : "q", place, parsing);
    return undefined;
  }
  const terms = fold(text.slice(0, limits.searchLength))
    .split(/\s+/u)
    .filter((term) => term !== "");
  if (text.length > limits.searchLength) faults.push(tooComplex(`Characters of "q"`, text.length, limits.searchLength, place));
  else if (terms.length > limits.searchTerms) faults.push(tooComplex(`Terms of "q"`, terms.length, limits.searchTerms, place));
  if (terms.length === 0) return undefined;
  if (allowed.length === searchable.length) return { op: "search", text };
  // The store's own search covers all of them, so it would reveal fields that this principal may not see.
  const any = { any: "many" } as const;
  return { op: "and", args: terms.map((term) => ({ op: "or", args: allowed.map((field) => likeness(field, [any, term, any])) })) };
}
