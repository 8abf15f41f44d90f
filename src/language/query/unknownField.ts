import type { FaultLocation } from "../../ground/problem/faultLocation.js";
import { maxItems } from "../../ground/problem/problem.js";
import { quote } from "../../ground/problem/quote.js";
import type { Gate } from "../schema/access.js";
import { cut, hintAt } from "./fault.js";
import { meantName } from "./grammar/otherNames.js";
import type { Parsing } from "./parsing.js";
import type { QueryTable } from "./table.js";

/**
 * The fault of a name that is unknown, or unknown to this principal: nothing in it depends on a field that the principal may not see.
 *
 * @param words words of the language that may have been meant
 */
export function unknownField(name: string, place: FaultLocation, { table, gate, faults }: Parsing, words: readonly string[] = []): void {
  // A response does not list more than this: the rest is not shown, and looking for hints costs time.
  const near = faults.length < maxItems ? meantName(withDots(name), [...visibleNames(table, gate), ...words]) : undefined;
  const source = "parameter" in place ? place.parameter : place.pointer;
  faults.push({
    code: "UNKNOWN_FIELD",
    detail: `Unknown field ${quote(name)} in ${quote(source)}.${near === undefined ? "" : ` Did you mean "${near}"?`}`,
    ...cut(place),
    ...hintAt(near),
  });
}

/** Names that a hint may show to this principal. */
function visibleNames({ fields }: QueryTable, gate: Gate): string[] {
  return [...fields.values()].filter(({ root }) => gate(root, "filter") === "allowed").map(({ key }) => key);
}

/** `address[city]` → `address.city` */
function withDots(name: string): string {
  return name.endsWith("]") ? name.slice(0, -1).replaceAll("][", ".").replaceAll("[", ".") : name;
}
