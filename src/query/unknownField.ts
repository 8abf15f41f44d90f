import type { Place } from "../problem/place.js";
import { maximumItems } from "../problem/problem.js";
import type { Gate } from "../schema/access.js";
import { cut, type Faults, hintAt, quoted } from "./fault.js";
import { closest } from "./hint.js";
import type { QueryTable } from "./table.js";

/**
 * The fault of a name that is none, or that this principal must take for none: nothing in it depends on a field that the principal may not see.
 *
 * @param words of the language that the name may have been meant for
 */
export function unknownField(name: string, place: Place, table: QueryTable, gate: Gate, faults: Faults, words: readonly string[] = []): void {
  // An answer lists no more than that: the rest is not shown, and guessing costs time.
  const near = faults.length < maximumItems ? closest(withDots(name), [...visibleNames(table, gate), ...words]) : undefined;
  const source = "parameter" in place ? place.parameter : place.pointer;
  faults.push({
    code: "UNKNOWN_FIELD",
    detail: `Unknown field ${quoted(name)} in ${quoted(source)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`,
    ...cut(place),
    ...hintAt(near),
  });
}

/** Names that a hint may give to this principal. */
function visibleNames({ fields }: QueryTable, gate: Gate): string[] {
  return [...fields.values()].filter(({ root }) => gate(root, "filter") === "allowed").map(({ key }) => key);
}

/** `address[city]` → `address.city` */
function withDots(name: string): string {
  return name.endsWith("]") ? name.slice(0, -1).replaceAll("][", ".").replaceAll("[", ".") : name;
}
